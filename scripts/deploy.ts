import { build, runTool } from './lib/build.ts'

/**
 * `npm run deploy [-- --dry-run]`: checks, build, remote migrations, deployment. With `--dry-run` nothing leaves this
 * machine.
 */
const isDryRun = process.argv.includes('--dry-run')
const steps: [string, () => void][] = [
  [
    'Checking',
    () => runTool('node', ['--disable-warning=ExperimentalWarning', 'scripts/verify.ts'], { loud: true }),
  ],
  ['Building', () => build({ anew: true })],
  ...(isDryRun
    ? []
    : ([
        [
          'Migrating',
          () => runTool('wrangler', ['d1', 'migrations', 'apply', 'nhaka', '--remote'], { loud: true }),
        ],
      ] satisfies [string, () => void][])),
  ['Deploying', () => runTool('wrangler', ['deploy', ...(isDryRun ? ['--dry-run'] : [])], { loud: true })],
]
for (const [name, step] of steps) {
  console.log(`${name} …`)
  step()
}
