import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { formWithFile, readMultipart } from './multipart.ts'

const BOUNDARY = 'x-boundary-x'
const FILE =
  'Content-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: image/jpeg\r\n\r\n'
const TYPE = 'Content-Disposition: form-data; name="type"\r\n\r\n'

/** A form request with this body. */
function posted(body: BodyInit, headers: Record<string, string> = {}): Request {
  const type = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` }
  return new Request('http://localhost/', { method: 'POST', body, headers: { ...type, ...headers } })
}

/** A request whose body arrives in chunks of `step` bytes. */
function sent(body: string, step = 7, headers: Record<string, string> = {}): Request {
  const bytes = new TextEncoder().encode(body)
  let at = 0
  const stream = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + step))
      at += step
    },
  })
  return posted(stream, headers)
}

function form(...parts: string[]): string {
  return `${parts.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`
}

async function read(request: Request, maxBytes = 1000) {
  const { fields, file } = await readMultipart(request, {
    maxBytes,
    async onFile({ bytes, fileName, fields: before }) {
      const known = Object.fromEntries(before)
      let text = ''
      for await (const chunk of bytes) text += new TextDecoder().decode(chunk)
      return { fileName, known, text }
    },
  })
  return { fields: Object.fromEntries(fields), file }
}

async function refusal(request: Request, maxBytes = 1000): Promise<unknown> {
  const error: unknown = await read(request, maxBytes).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return error instanceof AppError ? error.code : error
}

test('the file arrives unchanged for every chunk size, even with near-delimiters in it', async () => {
  const content = `one\r\ntwo\r\n--x-boundary\r\n--${BOUNDARY.slice(0, -1)}y\r\n`
  const body = form(`${TYPE}IMAGE`, FILE + content)
  for (let step = 1; step <= body.length; step++) {
    expect(await read(sent(body, step))).toEqual({
      fields: { type: 'IMAGE' },
      file: { fileName: 'a.bin', known: { type: 'IMAGE' }, text: content },
    })
  }
})

test('fields may come after the file', async () => {
  expect(await read(sent(form(`${FILE}hello`, `${TYPE}VIDEO`)))).toEqual({
    fields: { type: 'VIDEO' },
    file: { fileName: 'a.bin', known: {}, text: 'hello' },
  })
})

test('a form without a file part returns null for the file', async () => {
  expect(await read(sent(form(`${TYPE}IMAGE`)))).toEqual({ fields: { type: 'IMAGE' }, file: null })
})

test('file names keep quotes and non-Latin characters in every encoding', async () => {
  const named = (raw: string) =>
    form(`Content-Disposition: form-data; name="file"; filename="${raw}"\r\n\r\nx`)
  expect((await read(sent(named('Gogo “N’anga” 🌿.jpg')))).file?.fileName).toBe('Gogo “N’anga” 🌿.jpg')
  expect((await read(sent(named('a%22b.jpg')))).file?.fileName).toBe('a"b.jpg')
  expect((await read(sent(named(String.raw`a\"b.jpg`)))).file?.fileName).toBe('a"b.jpg')
})

test.for([
  ['cut off in the file', form(`${FILE}hello`).slice(0, -20)],
  ['cut off in the headers', `--${BOUNDARY}\r\nContent-Disp`],
  ['without its last boundary', `--${BOUNDARY}\r\n${TYPE}IMAGE\r\n--${BOUNDARY}\r\n`],
  ['with a second file', form(`${FILE}one`, `${FILE}two`)],
  ['with a file under another name', form(FILE.replace('"file"', '"photo"'))],
  ['with a repeated field', form(`${TYPE}IMAGE`, `${TYPE}VIDEO`)],
  ['with a field that is too long', form(TYPE + 'a'.repeat(5000))],
  ['with text before it', `hello\r\n${form(`${TYPE}IMAGE`)}`],
  ['with a part without a name', form('Content-Type: text/plain\r\n\r\nx')],
  ['that is empty', ''],
] as const)('a body %s is refused', async ([, body]) => {
  expect(await refusal(sent(body), 20_000)).toBe('bad_input')
})

test('a body that is not a form is refused', async () => {
  expect(await refusal(sent('{}', 7, { 'Content-Type': 'application/json' }))).toBe('bad_input')
  expect(await refusal(sent('{}', 7, { 'Content-Type': 'multipart/form-data' }))).toBe('bad_input')
})

test('a body that is too large is refused by Content-Length, else at its limit', async () => {
  const announced = posted(new Uint8Array(70_000), { 'Content-Length': '70000' })
  expect(await refusal(announced, 100)).toBe('too_large')
  expect(announced.bodyUsed).toBe(false)
  expect(await refusal(sent(form(FILE + 'a'.repeat(70_000)), 1000), 100)).toBe('too_large')
})

test('the reader has backpressure: it reads only a few chunks ahead of the consumer', async () => {
  let given = 0
  const head = new TextEncoder().encode(`--${BOUNDARY}\r\n${FILE}`)
  const tail = new TextEncoder().encode(`\r\n--${BOUNDARY}--\r\n`)
  const body = new ReadableStream(
    {
      type: 'bytes',
      pull(controller) {
        given++
        if (given === 1) controller.enqueue(head)
        else if (given <= 101) controller.enqueue(new Uint8Array(1024))
        else {
          controller.enqueue(tail)
          controller.close()
        }
      },
    },
    { highWaterMark: 0 },
  )
  const ahead: number[] = []
  await readMultipart(posted(body), {
    maxBytes: 1024 * 1024,
    async onFile({ bytes }) {
      let taken = 0
      for await (const chunk of bytes) {
        taken += chunk.byteLength
        ahead.push(given - Math.floor(taken / 1024))
      }
    },
  })
  expect(given).toBe(102)
  expect(Math.max(...ahead)).toBeLessThanOrEqual(4)
})

test('a sender that goes silent times out', async () => {
  const silent = new ReadableStream({
    type: 'bytes',
    start(controller) {
      controller.enqueue(new TextEncoder().encode(`--${BOUNDARY}\r\n${FILE}the beginning`))
    },
  })
  const taken: Uint8Array[] = []
  const reading = readMultipart(posted(silent), {
    maxBytes: 1000,
    silenceMaxMs: 5,
    async onFile({ bytes }) {
      for await (const chunk of bytes) taken.push(chunk)
    },
  })
  await expect(reading).rejects.toMatchObject({ code: 'bad_input' })
})

test('a file goes on in a form of its own, unchanged, as it arrives', async () => {
  const content = new Uint8Array(300_000).map((_, at) => (at * 7 + (at >> 8)) % 256)
  async function* bytes() {
    for (let at = 0; at < content.length; at += 7001) yield content.subarray(at, at + 7001)
  }
  const { body, contentType } = formWithFile({ type: 'IMAGE' }, { fileName: 'a "b"\r\n.jpg', bytes: bytes() })
  const request = new Request('http://localhost/', {
    method: 'POST',
    body,
    headers: { 'Content-Type': contentType },
  })
  const arrived: number[] = []
  const { fields, file } = await readMultipart(request, {
    maxBytes: 1_000_000,
    async onFile(given) {
      for await (const chunk of given.bytes) arrived.push(...chunk)
      return given.fileName
    },
  })
  expect([fields.get('type'), file]).toEqual(['IMAGE', 'a "b"  .jpg'])
  expect(arrived.length).toBe(content.length)
  expect(arrived.every((byte, at) => byte === content[at])).toBe(true)
})
