import { cleanFileName } from '#worker/platform/file-names.ts'

/**
 * In code points. With four bytes each, plus number and extension, a name stays below the 255 bytes that file systems
 * allow.
 */
const TITLE_MAX = 50

/**
 * A readable path that every system can unpack: `photos/001 At the table.jpg`. The number makes it unique in its folder
 * and avoids Windows' reserved names. Without usable text it is `photos/001.jpg`.
 */
export function archiveName({
  folder,
  number,
  title,
  extension,
}: {
  folder: string
  number: number
  title: string
  extension: string
}): string {
  const clean = cleanFileName(title.replaceAll(/[/\\]/gu, '-'), '').replaceAll(/[\p{Cf}\p{Cn}\p{Co}]/gu, '')
  const short = Array.from(clean)
    .slice(0, TITLE_MAX)
    .join('')
    // Windows drops a trailing dot or space.
    .replace(/[\s.]+$/u, '')
    .trim()
  return `${folder}/${String(number).padStart(3, '0')}${short === '' ? '' : ` ${short}`}.${extension}`
}

/** The same path as a relative URL: `photos/001%20At%20the%20table.jpg`. */
export function archiveAddress(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
