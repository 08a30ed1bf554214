import { Buffer } from 'node:buffer'
import { AppError } from '#shared/errors.ts'
import { fileTooLarge, messages } from '#shared/messages.ts'
import { ByteReader } from '#worker/platform/bytes.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const FIELDS_MAX = 10
const FIELD_MAX_BYTES = 4096
const PART_HEADERS_MAX_BYTES = 8192
/** Allowance for boundaries, headers and fields around the file. */
const OVERHEAD_MAX_BYTES = 64 * 1024
/** Idle timeout: a sender that is silent for this long is treated as disconnected. */
const SILENCE_MAX_MS = 30_000
const CRLF = Buffer.from('\r\n')
const HEADERS_END = Buffer.from('\r\n\r\n')

export type MultipartFile = {
  /** The name of its field. */
  name: string
  /** The raw name from the sender. Sanitise it before storing or showing it. */
  fileName: string
  /** Fields that precede the file; {@link readMultipart} returns all of them. */
  fields: ReadonlyMap<string, string>
  /** `Content-Length` of the request, slightly more than the file's size; null without that header. */
  announcedBytes: number | null
  /** The file as it arrives, with backpressure; can be read once. Throws `bad_input` when the body is cut off. */
  bytes: AsyncIterable<Uint8Array>
}

type Options<T> = {
  /** Largest possible body in bytes; the consumer checks the size of the file itself. */
  maxBytes: number
  /** Idle timeout in milliseconds. Default: 30 s. */
  silenceMaxMs?: number
  /** Consumes a file. Bytes it doesn't read are skipped. */
  onFile: (file: MultipartFile) => Promise<T>
}

/** Like {@link readMultipartFiles}, for a single part named `file`. Returns null without one. */
export async function readMultipart<T>(
  request: Request,
  options: Options<T>,
): Promise<{ fields: Map<string, string>; file: T | null }> {
  const { fields, files } = await readMultipartFiles(request, { ...options, names: ['file'], maxFiles: 1 })
  return { fields, file: files[0] ?? null }
}

/**
 * Reads multipart/form-data (RFC 7578) as a stream with one chunk in memory. Returns the text fields and the result of
 * `onFile` for each file in the parts of these names. Throws `bad_input` for a body that is cut off, times out, is malformed,
 * repeats a field or has more files, and `too_large` at the limit. The caller then removes what `onFile` has stored.
 */
export async function readMultipartFiles<T>(
  request: Request,
  {
    maxBytes,
    silenceMaxMs = SILENCE_MAX_MS,
    onFile,
    names,
    maxFiles,
  }: Options<T> & { names: readonly string[]; maxFiles: number },
): Promise<{ fields: Map<string, string>; files: T[] }> {
  const boundary = boundaryOf(request.headers.get('Content-Type') ?? '')
  if (boundary === null || !request.body) throw new AppError('bad_input', serverMessages.media.fileMissing)
  const announced = Number(request.headers.get('Content-Length') ?? Number.NaN)
  if (announced > maxBytes + OVERHEAD_MAX_BYTES) {
    throw new AppError('too_large', fileTooLarge(announced, maxBytes))
  }
  const input = new Input(request.body, maxBytes, silenceMaxMs)
  const fields = new Map<string, string>()
  const files: T[] = []
  const delimiter = Buffer.from(`\r\n--${boundary}`)

  input.prepend(CRLF)
  for await (const _ of input.until(delimiter)) throw malformed()
  while (!(await isLast(input))) {
    const part = partOf(await input.text(HEADERS_END, PART_HEADERS_MAX_BYTES))
    const isFile = names.includes(part.name)
    if (part.fileName === null && !isFile) {
      if (fields.has(part.name) || fields.size >= FIELDS_MAX) throw malformed()
      fields.set(part.name, await input.text(delimiter, FIELD_MAX_BYTES))
      continue
    }
    if (!isFile || files.length >= maxFiles) throw malformed()
    const bytes = input.until(delimiter)
    const arriving = {
      name: part.name,
      fileName: part.fileName ?? '',
      fields,
      announcedBytes: Number.isNaN(announced) ? null : announced,
      bytes: { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) },
    }
    try {
      files.push(await onFile(arriving))
    } catch (refusal) {
      // Reads the rest first: a client that is still sending when the connection closes never sees the error response.
      await input.skipRest().catch(() => null)
      throw refusal
    }
    for await (const _ of bytes) continue
  }
  await input.skipRest()
  return { fields, files }
}

/** Reads the bytes after a delimiter. Returns true after the last one (`--`), false before another part. */
async function isLast(input: Input): Promise<boolean> {
  const mark = await input.take(2)
  if (mark.equals(CRLF)) return false
  if (mark.toString('latin1') === '--') return true
  throw malformed()
}

function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\s*;/iu.test(contentType)) return null
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))/iu.exec(contentType)
  return match?.[1] ?? match?.[2] ?? null
}

/** Parses name and file name from a part's headers. Browsers encode `"` as %22 (WHATWG), curl as `\"`. */
function partOf(headers: string): { name: string; fileName: string | null } {
  const line = headers.split('\r\n').find((header) => /^content-disposition\s*:/iu.test(header)) ?? ''
  if (!/^content-disposition\s*:\s*form-data\s*;/iu.test(line)) throw malformed()
  const name = parameter(line, 'name')
  if (name === null) throw malformed()
  return { name, fileName: parameter(line, 'filename') }
}

function parameter(line: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s";]+))`, 'iu').exec(line)
  const value = match?.[1]?.replaceAll('\\"', '"') ?? match?.[2] ?? null
  return value?.replaceAll('%22', '"').replaceAll(/%0D|%0A/giu, '') ?? null
}

/** Reads a body once, from one mark to the next. Keeps only the current chunk in memory. */
class Input {
  readonly #reader: ByteReader
  readonly #maxBytes: number
  #buffered: Buffer = Buffer.alloc(0)
  #count = 0

  constructor(body: ReadableStream<Uint8Array>, maxBytes: number, silenceMaxMs: number) {
    this.#reader = new ByteReader(body, silenceMaxMs)
    this.#maxBytes = maxBytes
  }

  prepend(bytes: Buffer): void {
    this.#buffered = Buffer.concat([bytes, this.#buffered])
  }

  /** Yields the bytes before `mark` and skips the mark. Throws when the body ends without it. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array, undefined> {
    for (;;) {
      const at = this.#buffered.indexOf(mark)
      // The chunk may end with the first bytes of the mark.
      const safe = at === -1 ? Math.max(0, this.#buffered.length - mark.length + 1) : at
      const ready = this.#buffered.subarray(0, safe)
      this.#buffered = this.#buffered.subarray(at === -1 ? safe : at + mark.length)
      if (ready.length > 0) yield ready
      if (at !== -1) return
      const tail = this.#buffered
      const chunk = await this.#read()
      if (!chunk) throw malformed()
      // Concatenation copies the whole chunk, so it's done only where the mark may cross the boundary.
      const seam = Buffer.concat([tail, chunk.subarray(0, mark.length - 1)])
      const isApart = chunk.length >= mark.length && seam.indexOf(mark) === -1
      if (isApart && tail.length > 0) yield tail
      this.#buffered = isApart ? chunk : Buffer.concat([tail, chunk])
    }
  }

  /** The text before `mark`, at most `max` bytes of UTF-8. */
  async text(mark: Buffer, max: number): Promise<string> {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of this.until(mark)) {
      size += chunk.length
      if (size > max) throw malformed()
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }

  async take(size: number): Promise<Buffer> {
    while (this.#buffered.length < size) if (!(await this.#fill())) throw malformed()
    const taken = this.#buffered.subarray(0, size)
    this.#buffered = this.#buffered.subarray(size)
    return taken
  }

  /** Reads to the end and ignores the bytes (RFC 2046 epilogue). */
  async skipRest(): Promise<void> {
    do this.#buffered = Buffer.alloc(0)
    while (await this.#fill())
  }

  async #fill(): Promise<boolean> {
    const chunk = await this.#read()
    if (chunk) this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk])
    return chunk !== null
  }

  async #read(): Promise<Buffer | null> {
    const value = await this.#reader.read().catch((cause: unknown) => {
      // The sender disconnected, which isn't worth a log line.
      this.#reader.cancel()
      throw Object.assign(malformed(), { cause })
    })
    if (!value) return null
    this.#count += value.byteLength
    if (this.#count > this.#maxBytes + OVERHEAD_MAX_BYTES) {
      throw new AppError('too_large', fileTooLarge(this.#count, this.#maxBytes))
    }
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}

function malformed(): AppError {
  return new AppError('bad_input', messages.media.interrupted)
}

/** A form with text fields and one file, in the part `file`, whose bytes go on as they arrive. */
export function formWithFile(
  fields: Record<string, string>,
  { fileName, bytes }: Pick<MultipartFile, 'fileName' | 'bytes'>,
): { body: ReadableStream<Uint8Array>; contentType: string } {
  const boundary = crypto.randomUUID()
  const quoted = fileName.replaceAll('"', '%22').replaceAll(/[\r\n]/gu, ' ')
  const head = Object.entries(fields)
    .map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    .join('')
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(
      `${head}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\n\r\n`,
    )
    yield* bytes
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  const iterator = parts()
  const body = new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const { value, done } = await iterator.next()
      if (!done) {
        // Copied, because the stream takes the buffer, of which this may be a part.
        controller.enqueue(new Uint8Array(value))
        return
      }
      controller.close()
      // A reader with a buffer of its own waits for this.
      controller.byobRequest?.respond(0)
    },
  })
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}
