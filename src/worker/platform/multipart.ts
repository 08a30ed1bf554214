import { Buffer } from 'node:buffer'
import { AppError } from '#shared/errors.ts'
import { fileTooLarge, messages } from '#shared/messages.ts'
import { ByteReader } from '#worker/platform/byte-reader.ts'

const FIELDS_MAX = 10
const FIELD_MAX_BYTES = 4096
const PART_HEADERS_MAX_BYTES = 8192
/** Room for boundaries, headers and fields around the file. */
const OVERHEAD_MAX_BYTES = 64 * 1024
/** A sender from whom nothing comes for so long has gone: what is held for it is let go. */
const SILENCE_MAX_MS = 30_000
const CRLF = Buffer.from('\r\n')
const HEADERS_END = Buffer.from('\r\n\r\n')

export type MultipartFile = {
  /** As the sender wrote it: any text. Clean it before it is stored or shown. */
  fileName: string
  /** Fields that came before the file; the rest is known when {@link readMultipart} returns. */
  fields: ReadonlyMap<string, string>
  /** Bytes of the whole request as announced, about the file's own; null where nothing was announced. */
  announcedBytes: number | null
  /** The file as it arrives, once, with backpressure. Throws `bad_input` when the body breaks off. */
  bytes: AsyncIterable<Uint8Array>
}

type Options<T> = {
  /** Largest body in bytes that can be right for anybody; what the file itself may weigh is the consumer's to count. */
  maxBytes: number
  /** Milliseconds without a byte after which the sender is given up. Default: 30 s. */
  silenceMaxMs?: number
  /** Consumes the one part named `file`. Bytes that it leaves are skipped. */
  onFile: (file: MultipartFile) => Promise<T>
}

/**
 * Reads multipart/form-data (RFC 7578) as it arrives, never holding the file: its memory is one chunk. Returns the
 * text fields and what `onFile` made of the file, or null without one. Throws `bad_input` for a body that is broken
 * off, falls silent, is garbled, or has a second file or a repeated field, and `too_large` before reading a byte too many. What `onFile`
 * has stored by then is the caller's to remove.
 */
export async function readMultipart<T>(
  request: Request,
  { maxBytes, silenceMaxMs = SILENCE_MAX_MS, onFile }: Options<T>,
): Promise<{ fields: Map<string, string>; file: T | null }> {
  const boundary = boundaryOf(request.headers.get('Content-Type') ?? '')
  if (boundary === null || !request.body) throw new AppError('bad_input', messages.media.fileMissing)
  const announced = Number(request.headers.get('Content-Length') ?? Number.NaN)
  if (announced > maxBytes + OVERHEAD_MAX_BYTES) {
    throw new AppError('too_large', fileTooLarge(announced, maxBytes))
  }
  const input = new Input(request.body, maxBytes, silenceMaxMs)
  const fields = new Map<string, string>()
  let file: { made: T } | null = null
  const delimiter = Buffer.from(`\r\n--${boundary}`)

  input.prepend(CRLF)
  for await (const _ of input.until(delimiter)) throw garbled()
  while (!(await isLast(input))) {
    const part = partOf(await input.text(HEADERS_END, PART_HEADERS_MAX_BYTES))
    if (part.fileName === null && part.name !== 'file') {
      if (fields.has(part.name) || fields.size >= FIELDS_MAX) throw garbled()
      fields.set(part.name, await input.text(delimiter, FIELD_MAX_BYTES))
      continue
    }
    if (part.name !== 'file' || file) throw garbled()
    const bytes = input.until(delimiter)
    const arriving = {
      fileName: part.fileName ?? '',
      fields,
      announcedBytes: Number.isNaN(announced) ? null : announced,
      bytes: { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) },
    }
    try {
      file = { made: await onFile(arriving) }
    } catch (refusal) {
      // A sender that is still sending when the connection closes never reads why it was refused.
      await input.skipRest().catch(() => null)
      throw refusal
    }
    for await (const _ of bytes) continue
  }
  await input.skipRest()
  return { fields, file: file ? file.made : null }
}

/** Reads what follows a delimiter: true after the last one (`--`), false where a part begins. */
async function isLast(input: Input): Promise<boolean> {
  const mark = await input.take(2)
  if (mark.equals(CRLF)) return false
  if (mark.toString('latin1') === '--') return true
  throw garbled()
}

function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\s*;/iu.test(contentType)) return null
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/iu.exec(contentType)
  return match?.[1] ?? match?.[2] ?? null
}

/** Name and file name out of a part's headers. Browsers write `"` as %22 (WHATWG), curl as `\"`. */
function partOf(headers: string): { name: string; fileName: string | null } {
  const line = headers.split('\r\n').find((header) => /^content-disposition\s*:/iu.test(header)) ?? ''
  if (!/^content-disposition\s*:\s*form-data\s*;/iu.test(line)) throw garbled()
  const name = parameter(line, 'name')
  if (name === null) throw garbled()
  return { name, fileName: parameter(line, 'filename') }
}

function parameter(line: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s";]+))`, 'iu').exec(line)
  const value = match?.[1]?.replaceAll('\\"', '"') ?? match?.[2] ?? null
  return value?.replaceAll('%22', '"').replaceAll(/%0D|%0A/giu, '') ?? null
}

/** A body that is read once, up to one mark after the other. Holds the chunk at hand and nothing else. */
class Input {
  readonly #reader: ByteReader
  readonly #maxBytes: number
  #held: Buffer = Buffer.alloc(0)
  #count = 0

  constructor(body: ReadableStream<Uint8Array>, maxBytes: number, silenceMaxMs: number) {
    this.#reader = new ByteReader(body, silenceMaxMs)
    this.#maxBytes = maxBytes
  }

  prepend(bytes: Buffer): void {
    this.#held = Buffer.concat([bytes, this.#held])
  }

  /** Yields what comes before `mark` and swallows the mark; throws when the body ends without it. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      // The end of the chunk may be the beginning of the mark.
      const safe = at === -1 ? Math.max(0, this.#held.length - mark.length + 1) : at
      const ready = this.#held.subarray(0, safe)
      this.#held = this.#held.subarray(at === -1 ? safe : at + mark.length)
      if (ready.length > 0) yield ready
      if (at !== -1) return
      const tail = this.#held
      const chunk = await this.#read()
      if (!chunk) throw garbled()
      // Joining is a copy of the whole chunk: done only where the mark may lie across the seam.
      const seam = Buffer.concat([tail, chunk.subarray(0, mark.length - 1)])
      const isApart = chunk.length >= mark.length && seam.indexOf(mark) === -1
      if (isApart && tail.length > 0) yield tail
      this.#held = isApart ? chunk : Buffer.concat([tail, chunk])
    }
  }

  /** The text before `mark`, at most `max` bytes of UTF-8. */
  async text(mark: Buffer, max: number): Promise<string> {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.until(mark)) {
      size += chunk.length
      if (size > max) throw garbled()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }

  async take(size: number): Promise<Buffer> {
    while (this.#held.length < size) if (!(await this.#fill())) throw garbled()
    const taken = this.#held.subarray(0, size)
    this.#held = this.#held.subarray(size)
    return taken
  }

  /** Reads to the end: what follows the last boundary says nothing (RFC 2046 epilogue). */
  async skipRest(): Promise<void> {
    do this.#held = Buffer.alloc(0)
    while (await this.#fill())
  }

  async #fill(): Promise<boolean> {
    const chunk = await this.#read()
    if (chunk) this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    return chunk !== null
  }

  async #read(): Promise<Buffer | null> {
    const value = await this.#reader.read().catch((cause: unknown) => {
      // The sender went away; there is nobody to blame and nothing to log.
      this.#reader.giveUp()
      throw Object.assign(garbled(), { cause })
    })
    if (!value) return null
    this.#count += value.byteLength
    if (this.#count > this.#maxBytes + OVERHEAD_MAX_BYTES) {
      throw new AppError('too_large', fileTooLarge(this.#count, this.#maxBytes))
    }
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}

function garbled(): AppError {
  return new AppError('bad_input', messages.media.interrupted)
}
