/** `npm run setup:cloudflare [-- --env production|staging] [--dry-run]`: see tools/operate/cloud/setup-cloudflare.ts. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { readOptions } from './cloud/environments.ts'
import { SETUP_USAGE, setUp } from './cloud/setup-cloudflare.ts'
import { wranglerIn } from './cloud/wrangler.ts'
import { runCommand } from './local/command.ts'

/** Asks on the terminal. The input is not shown and does not appear in any history. */
async function askSecret(question: string): Promise<string> {
  process.stdout.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stdout.write('\n')
  }
}

await runCommand(SETUP_USAGE, 1, async () => {
  await setUp({
    ...readOptions(process.argv.slice(2), SETUP_USAGE),
    wrangler: wranglerIn(),
    say: (line) => console.log(line),
    ask: process.stdin.isTTY ? askSecret : null,
    given: process.env,
  })
  return 0
})
