import { cleanFileName } from '#worker/platform/file-names.ts'

/** Code points of the words in a name: with four bytes each, and number and ending, below the 255 bytes that disks take. */
const WORDS_MAX = 50

/**
 * A path in an archive that every system can unpack and a person can read: `photos/001 At the table.jpg`. The number makes
 * it unique in its folder, and keeps Windows' reserved names away. No words are none: `photos/001.jpg`.
 */
export function archiveName({
  folder,
  number,
  words,
  ending,
}: {
  folder: string
  number: number
  words: string
  ending: string
}): string {
  const clean = cleanFileName(words.replaceAll(/[/\\]/gu, '-'), '').replaceAll(/[\p{Cf}\p{Cn}\p{Co}]/gu, '')
  const short = Array.from(clean)
    .slice(0, WORDS_MAX)
    .join('')
    // Windows takes a dot or a blank at the end away.
    .replace(/[\s.]+$/u, '')
    .trim()
  return `${folder}/${String(number).padStart(3, '0')}${short === '' ? '' : ` ${short}`}.${ending}`
}

/** The same path as an address beside the page: `photos/001%20At%20the%20table.jpg`. */
export function archiveAddress(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
