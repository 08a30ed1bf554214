import { spawnSync } from 'node:child_process'
import { delimiter, resolve } from 'node:path'
import * as z from 'zod/mini'
import { OperatorError } from '../local/command.ts'

export const ROOT = resolve(import.meta.dirname, '../../..')

export type Answer = { isDone: boolean; stdout: string; /** Its stdout and stderr. */ said: string }
/** Runs wrangler with these arguments. Secrets go through `input` (stdin), never through a command line. */
export type Wrangler = (args: string[], options?: { input?: string; isLoud?: boolean }) => Answer

/**
 * Runs the first wrangler in PATH, or else the one in node_modules, in the folder `root`. It never asks questions, because it
 * has no terminal. `CLOUDFLARE_ENV` is unset for it, because each command names its environment.
 */
export function wranglerIn(root = ROOT): Wrangler {
  return (args, { input, isLoud = false } = {}) => {
    const { status, stdout, stderr, error } = spawnSync('wrangler', args, {
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
    if (error) throw new OperatorError(`Could not run wrangler: ${error.message}`)
    const said = [stdout, stderr].filter(Boolean).join('\n').trim()
    return { isDone: status === 0, stdout: stdout ?? '', said }
  }
}

/** Runs a command that must succeed. Returns its stdout. Throws {@link OperatorError} with wrangler's output. */
export function mustRun(wrangler: Wrangler, args: string[], input?: string): string {
  const answer = wrangler(args, input === undefined ? {} : { input })
  if (answer.isDone) return answer.stdout
  throw new OperatorError(`wrangler ${args.join(' ')} failed:\n${indented(answer.said)}`)
}

/** Parses the JSON value in a command's output; a banner may come before it. Throws {@link OperatorError}. */
export function readJson(args: string[], stdout: string): unknown {
  const start = stdout.search(/[[{]/u)
  try {
    return JSON.parse(stdout.slice(start)) as unknown
  } catch {
    throw new OperatorError(`wrangler ${args.join(' ')} did not print JSON:\n${indented(stdout)}`)
  }
}

/** True if the command succeeds, false if it fails with a message that matches `isMissing`. Throws {@link OperatorError}. */
export function exists(wrangler: Wrangler, args: string[], isMissing: RegExp): boolean {
  const answer = wrangler(args)
  if (answer.isDone) return true
  if (isMissing.test(answer.said)) return false
  mustRun(() => answer, args)
  return false
}

/** The JSON that a command prints. Throws {@link OperatorError} if it has another shape. */
export function readShape<T extends z.ZodMiniType>(wrangler: Wrangler, args: string[], shape: T): z.infer<T> {
  const found = z.safeParse(shape, readJson(args, mustRun(wrangler, args)))
  if (!found.success) throw new OperatorError(`wrangler ${args.join(' ')} printed an unknown format.`)
  return found.data
}

function indented(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
