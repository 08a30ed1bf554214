import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { StateProblem } from '../local-state.ts'

/** The words after a command. Throws a StateProblem with `usage` for what it does not know. */
export function readWords<T extends ParseArgsOptionsConfig>(words: string[], options: T, usage: string) {
  try {
    return parseArgs({ args: words, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new StateProblem(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  }
}

/** Bytes as people say them. */
export function inBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const step = Math.min(4, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** step).toFixed(1)} ${['', 'KiB', 'MiB', 'GiB', 'TiB'][step] ?? ''}`
}
