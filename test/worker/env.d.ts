import type { D1Migration } from '@cloudflare/vitest-pool-workers'
import type { Env as WorkerEnv } from '#worker/env.ts'

declare global {
  namespace Cloudflare {
    // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges
    interface Env extends WorkerEnv {
      TEST_MIGRATIONS: D1Migration[]
    }
  }
}

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges
  export interface ProvidedContext {
    sandboxUrl: string
  }
}
