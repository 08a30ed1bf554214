import type { D1Migration } from '@cloudflare/vitest-pool-workers'
import type { Env as WorkerEnv } from '#worker/platform/env.ts'
import type { UploadStore } from '#worker/features/media/upload-store.do.ts'
import type { MemorialQuota } from '#worker/features/quota/quota.do.ts'

declare global {
  namespace Cloudflare {
    // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges
    interface Env extends Omit<WorkerEnv, 'QUOTA' | 'UPLOADS'> {
      QUOTA: DurableObjectNamespace<MemorialQuota>
      UPLOADS: DurableObjectNamespace<UploadStore>
      TEST_MIGRATIONS: D1Migration[]
    }
  }
}

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges
  export interface ProvidedContext {
    sandboxUrl: string
    isExhaustive: boolean
  }
}
