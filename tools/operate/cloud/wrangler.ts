import { spawnSync } from 'node:child_process'
import { delimiter, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../../..')

/** Why something could not be done in the account, in a sentence or two for the operator. */
export class AccountProblem extends Error {}

export type Answer = { isDone: boolean; stdout: string; /** All that it said. */ said: string }
/** Runs wrangler with these words. `input` is what it reads: a secret never stands in a command line. */
export type Wrangler = (words: string[], options?: { input?: string; isLoud?: boolean }) => Answer

/**
 * The wrangler that is found first (npm scripts and `bootstrap.mjs` put ours there, and else it is the last), in the folder `root`. It never asks
 * anything: there is no terminal behind it. `CLOUDFLARE_ENV` is kept from it: each command says itself what it is about.
 */
export function wranglerIn(root = ROOT): Wrangler {
  return (words, { input, isLoud = false } = {}) => {
    const { status, stdout, stderr, error } = spawnSync('wrangler', words, {
      cwd: root,
      encoding: 'utf8',
      input: input ?? '',
      ...(isLoud && { stdio: ['ignore', 'inherit', 'inherit'] as const }),
      maxBuffer: 256 * 1024 * 1024,
      env: {
        ...process.env,
        PATH: [process.env['PATH'], resolve(ROOT, 'node_modules/.bin')].join(delimiter),
        CLOUDFLARE_ENV: undefined,
        WRANGLER_SEND_METRICS: 'false',
      },
    })
    if (error) throw new AccountProblem(`wrangler could not be run: ${error.message}`)
    const said = [stdout, stderr].filter(Boolean).join('\n').trim()
    return { isDone: status === 0, stdout: stdout ?? '', said }
  }
}

/** Runs a command that must succeed. Throws {@link AccountProblem} with what wrangler said. Returns what it wrote. */
export function mustRun(wrangler: Wrangler, words: string[], input?: string): string {
  const answer = wrangler(words, input === undefined ? {} : { input })
  if (answer.isDone) return answer.stdout
  throw new AccountProblem(`wrangler ${words.join(' ')} failed:\n${indented(answer.said)}`)
}

/** The first JSON value in what a command wrote: banners may stand before it. Throws {@link AccountProblem}. */
export function readJson(words: string[], stdout: string): unknown {
  const begin = stdout.search(/[[{]/u)
  try {
    return JSON.parse(stdout.slice(begin)) as unknown
  } catch {
    throw new AccountProblem(
      `wrangler ${words.join(' ')} answered something else than a list:\n${indented(stdout)}`,
    )
  }
}

function indented(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
