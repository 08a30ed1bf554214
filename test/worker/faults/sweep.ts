import { inject } from 'vitest'

/**
 * Returns `all` in `npm run test:exhaustive` and `sample` in `npm test`. Name a test file that calls this `*.sweep.test.ts`, so
 * that both commands run it.
 */
export function sweep<T>(all: readonly T[], sample: readonly T[]): readonly T[] {
  return inject('isExhaustive') ? all : sample
}
