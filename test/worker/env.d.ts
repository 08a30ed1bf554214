import type { D1Migration } from '@cloudflare/vitest-pool-workers'
import type { Env as WorkerEnv } from '#worker/env.ts'

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv {
      TEST_MIGRATIONS: D1Migration[]
    }
  }
}

declare module 'vitest' {
  export interface ProvidedContext {
    sandboxUrl: string
  }
}
