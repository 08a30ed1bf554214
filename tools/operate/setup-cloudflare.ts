/** `npm run setup:cloudflare [-- --env production|staging] [--dry-run]`: see tools/operate/cloud/setup-cloudflare.ts. */
import { askSecret } from './cloud/ask-secret.ts'
import { readOptions } from './cloud/environments.ts'
import { SETUP_USAGE, setUp } from './cloud/setup-cloudflare.ts'
import { AccountError, wranglerIn } from './cloud/wrangler.ts'

const args = process.argv.slice(2)
try {
  if (args.includes('--help')) {
    console.log(SETUP_USAGE)
  } else {
    await setUp({
      ...readOptions(args, SETUP_USAGE),
      wrangler: wranglerIn(),
      say: (line) => console.log(line),
      ask: process.stdin.isTTY ? askSecret : null,
      given: process.env,
    })
  }
} catch (error) {
  if (!(error instanceof AccountError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
