/// <reference types="vite/types/importMeta.d.ts" />
const files = import.meta.glob<string>('../fixtures/*.*', { query: '?url&inline', import: 'default' })

/** Bytes of a file in test/fixtures. Vite provides them as a data URL, the only form that reaches workerd. */
export async function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const load = files[`../fixtures/${name}`]
  if (!load) throw new Error(`no such fixture: ${name}`)
  const url = await load()
  return Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (char) => char.charCodeAt(0))
}
