import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { bucketAt } from '../operate/local/stack.ts'

/** Starts the bare Worker on the same runtime and local R2 as the product, with its data in `state`. */
export async function startBareServer(
  state: string,
  bucketUrl?: string,
): Promise<AsyncDisposable & { url: string }> {
  const source = readFileSync(resolve(import.meta.dirname, 'bare-worker.ts'), 'utf8')
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      resourcePersistencePath: state,
      name: 'bare',
      modules: true,
      script: stripTypeScriptTypes(source),
      compatibilityDate: '2026-08-01',
      r2Buckets: { MEDIA: bucketUrl ? bucketAt(bucketUrl, 'bare-media') : 'bare-media' },
    }),
  )
  const url = String(await miniflare.ready).replace(/\/$/u, '')
  return { url, [Symbol.asyncDispose]: () => miniflare.dispose() }
}
