import { crc32 } from 'node:zlib'

type ZipFile = { name: string; bytes: Uint8Array; modified: string; isUtf8: boolean }

/**
 * Reads a ZIP like an unpacking program: from its end, through the central directory, with Zip64 where it says so, and checks
 * each file's CRC. Throws if anything is inconsistent. See APPNOTE.TXT 6.3.10 of PKWARE.
 */
export function readZip(archive: Uint8Array): ZipFile[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength)
  const end = archive.byteLength - 22
  expectMark(view, end, 0x06054b50, 'end of the directory')
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const files: ZipFile[] = []
  for (let n = 0; n < count; n++) {
    expectMark(view, at, 0x02014b50, 'entry of the directory')
    const nameLength = view.getUint16(at + 28, true)
    const size = view.getUint32(at + 24, true)
    const name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      archive.subarray(at + 46, at + 46 + nameLength),
    )
    if (view.getUint16(at + 10, true) !== 0) throw new Error(`${name} is compressed`)
    const local = view.getUint32(at + 42, true)
    expectMark(view, local, 0x04034b50, name)
    const dataStart = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    const bytes = archive.subarray(dataStart, dataStart + size)
    if (crc32(bytes) !== view.getUint32(at + 16, true)) throw new Error(`${name} has a wrong CRC`)
    files.push({
      name,
      bytes,
      modified: dosDate(view.getUint16(at + 14, true), view.getUint16(at + 12, true)),
      isUtf8: (view.getUint16(at + 8, true) & 0x0800) !== 0,
    })
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  if (at !== end) throw new Error('unexpected bytes between the directory and its end')
  return files
}

function expectMark(view: DataView, at: number, mark: number, what: string): void {
  if (view.getUint32(at, true) !== mark) throw new Error(`no ${what} at ${at}`)
}

/** `2026-11-21 20:40`, as in the directory: DOS times have no zone. */
function dosDate(date: number, time: number): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${1980 + (date >> 9)}-${two((date >> 5) & 15)}-${two(date & 31)}`
  return `${day} ${two(time >> 11)}:${two((time >> 5) & 63)}`
}
