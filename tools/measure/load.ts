import { Agent, request } from 'node:http'

/** One request. `next` of {@link load} gives them. */
export type Call = {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
  /** What it must be answered with. Default 200. */
  status?: number
}
/** `failed`: answered otherwise, or not at all; what is left is counted. */
export type Loaded = { perSecond: number; timesMs: number[]; failed: number }

/** One request over a kept connection, read to its end. Answers the bytes of its body. Throws on any other status. */
function send(base: URL, agent: Agent, call: Call): Promise<number> {
  const { path, method = 'GET', headers = {}, body, status = 200 } = call
  return new Promise((resolve, reject) => {
    const sent = request(base, { agent, path, method, headers }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('error', reject)
      answer.on('end', () => {
        if (answer.statusCode === status) resolve(bytes)
        else reject(new Error(`${method} ${path} answered ${answer.statusCode}`))
      })
    })
    sent.on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`, { cause: error })))
    sent.end(body)
  })
}

/** Bytes of one answer's body, as it comes without compression. */
export async function bytesOf(url: string, call: Call): Promise<number> {
  const agent = new Agent()
  return send(new URL(url), agent, call)
}

/**
 * Sends requests over `connections` kept connections, one after the other on each, for so long or so many of them. What
 * comes first is not counted twice: connections are opened before the clock starts.
 */
export async function load(
  url: string,
  next: () => Call,
  options: { connections: number; seconds: number; atMost?: number },
): Promise<Loaded> {
  const base = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const timesMs: number[] = []
  try {
    await Promise.all(
      Array.from({ length: options.connections }, () => send(base, agent, { path: '/api/config' })),
    )
    let failed = 0
    const started = performance.now()
    const until = started + options.seconds * 1000
    let left = options.atMost ?? Number.POSITIVE_INFINITY
    const line = async () => {
      while (left-- > 0 && performance.now() < until) {
        const at = performance.now()
        try {
          await send(base, agent, next())
          timesMs.push(performance.now() - at)
        } catch {
          failed += 1
        }
      }
    }
    await Promise.all(Array.from({ length: options.connections }, line))
    return { perSecond: timesMs.length / ((performance.now() - started) / 1000), timesMs, failed }
  } finally {
    agent.destroy()
  }
}
