import { globSync } from 'node:fs'
import { dirname, basename, resolve } from 'node:path'
import {
  convertV4MiniflareOptions,
  Miniflare,
  type RemoteProxyConnectionString,
  type V4WorkerOptions,
} from 'miniflare'
import { unstable_getMiniflareWorkerOptions as getWorkerOptions } from 'wrangler'

export type WorkerServerOptions = {
  port: number
  /** Folder for D1, R2, KV and Durable Object data. */
  state: string
  /** Values that a deployment sets by `wrangler secret put` or in `[vars]`. */
  vars: Record<string, string>
  host?: string
  /** URL of R2, if it runs outside the runtime's process. */
  bucketUrl?: string
  /** Source of an entry module that wraps the built one, which it imports as `./index.js`. */
  entry?: string
  /** Workers for other hosts (`routes`) in the same runtime. */
  beside?: V4WorkerOptions[]
}

/**
 * Starts the built Worker (run `npm run build` first) in workerd on its own port, with every binding of `wrangler.toml`. There
 * is no proxy in front, so measurements are of the Worker alone. Throws an Error if there is no build.
 */
export async function startWorkerServer(
  options: WorkerServerOptions,
): Promise<{ url: string; miniflare: Miniflare }> {
  const config = resolve(import.meta.dirname, '../../../dist/nhaka/wrangler.json')
  const { workerOptions, main } = getWorkerOptions(config)
  if (!main) throw new Error('There is no built Worker. Run: npm run build')
  const { modulesRules, ...worker } = workerOptions
  const rootPath = dirname(main)
  const entry = basename(main)
  const modules = [
    ...(options.entry ? [{ type: 'ESModule' as const, path: 'entry.js', contents: options.entry }] : []),
    { type: 'ESModule' as const, path: entry },
    ...(modulesRules ?? []).flatMap(({ type, include }) =>
      globSync(include, { cwd: rootPath })
        .filter((path) => path !== entry)
        .map((path) => ({ type, path })),
    ),
  ]
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: options.host ?? '127.0.0.1',
      port: options.port,
      resourcePersistencePath: options.state,
      unsafeTriggerHandlers: true,
      workers: [
        {
          ...worker,
          name: 'nhaka',
          rootPath,
          modules,
          ...(options.bucketUrl && {
            r2Buckets: {
              MEDIA: { id: 'nhaka-media', remoteProxyConnectionString: remoteUrl(options.bucketUrl) },
            },
          }),
          bindings: { ...(worker.bindings as Record<string, string>), ...options.vars },
        },
        ...(options.beside ?? []),
      ],
    }),
  )
  return { url: String(await miniflare.ready), miniflare }
}

function remoteUrl(url: string): RemoteProxyConnectionString {
  return new URL(url) as RemoteProxyConnectionString
}
