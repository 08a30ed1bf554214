import { inject } from 'vitest'

/**
 * `npm run test:exhaustive` gets `all`, `npm test` gets `sample`. A test file that calls this is named `*.sweep.test.ts`, so that
 * both commands run it.
 */
export function sweep<T>(all: readonly T[], sample: readonly T[]): readonly T[] {
  return inject('isExhaustive') ? all : sample
}
