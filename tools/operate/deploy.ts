/** `npm run deploy [-- --env production|staging] [--dry-run]`: see tools/operate/cloud/deploy.ts. */
import { runTool } from '../build/lib/build.ts'
import { deploy, DEPLOY_USAGE } from './cloud/deploy.ts'
import { readOptions } from './cloud/environments.ts'
import { AccountError, wranglerIn } from './cloud/wrangler.ts'

function must(tool: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
  try {
    runTool(tool, args, { loud: true, env })
  } catch (error) {
    throw new AccountError(`${String(error)}. Nothing was deployed.`)
  }
}

const args = process.argv.slice(2)
try {
  if (args.includes('--help')) {
    console.log(DEPLOY_USAGE)
  } else {
    await deploy({
      ...readOptions(args, DEPLOY_USAGE),
      wrangler: wranglerIn(),
      say: (line) => console.log(line),
      verify: () => must('node', ['--disable-warning=ExperimentalWarning', 'tools/build/verify.ts']),
      // A folder of its own, so that it does not overwrite the build that `npm start` serves.
      build: ({ env }) =>
        must('vite', ['build', '--outDir', `dist/${env}`, '--logLevel', 'warn'], {
          CLOUDFLARE_ENV: env === 'default' ? '' : env,
        }),
    })
  }
} catch (error) {
  if (!(error instanceof AccountError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
