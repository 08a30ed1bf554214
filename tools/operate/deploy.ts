/** `npm run deploy [-- --env production|staging] [--dry-run]`: see tools/operate/cloud/deploy.ts. */
import { runTool } from '../build/lib/build.ts'
import { deploy, DEPLOY_USAGE } from './cloud/deploy.ts'
import { readOptions } from './cloud/environments.ts'
import { wranglerIn } from './cloud/wrangler.ts'
import { OperatorError, runCommand } from './local/command.ts'

function must(tool: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
  try {
    runTool(tool, args, { loud: true, env })
  } catch (error) {
    throw new OperatorError(`${String(error)}. Nothing was deployed.`)
  }
}

await runCommand(DEPLOY_USAGE, 1, async () => {
  await deploy({
    ...readOptions(process.argv.slice(2), DEPLOY_USAGE),
    wrangler: wranglerIn(),
    say: (line) => console.log(line),
    verify: () => must('node', ['--disable-warning=ExperimentalWarning', 'tools/build/verify.ts']),
    // A folder of its own, so that it does not overwrite the build that `npm start` serves.
    build: ({ env }) =>
      must('vite', ['build', '--outDir', `dist/${env}`, '--logLevel', 'warn'], {
        CLOUDFLARE_ENV: env === 'default' ? '' : env,
      }),
  })
  return 0
})
