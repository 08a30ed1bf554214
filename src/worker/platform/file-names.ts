import { FILE_NAME_MAX } from '#shared/limits.ts'
import { cleanCharacters } from '#shared/text-rules.ts'

/** Characters that Windows forbids, and control characters. */
// eslint-disable-next-line no-control-regex -- taking control characters out is the purpose
const UNSAFE = /[\u0000-\u001f\u007f-\u009f<>:"|?*]/gu

/** The last path segment without unsafe characters, at most 120 code points with its extension, or `fallback`. */
export function cleanFileName(name: string, fallback: string): string {
  const last = name.split(/[/\\]/u).at(-1) ?? ''
  const clean = cleanCharacters(last).replace(UNSAFE, '').replace(/\s+/gu, ' ').trim().replace(/^\.+/u, '')
  const points = Array.from(clean)
  if (points.length === 0) return fallback
  if (points.length <= FILE_NAME_MAX) return clean
  const ending = /\.[A-Za-z0-9]{1,8}$/u.exec(clean)?.[0] ?? ''
  return points.slice(0, FILE_NAME_MAX - ending.length).join('') + ending
}

/** `Content-Disposition` for a file name: ASCII for old clients, and the full name in UTF-8 (RFC 6266, RFC 8187). */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name.replace(/[^\u0020-\u007e]|["\\%]/gu, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/gu,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
