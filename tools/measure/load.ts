import { Agent, request } from 'node:http'

/** One request, as `next` of {@link load} returns it. */
export type Call = {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
  /** The expected status. Default 200. */
  status?: number
}
/** `failed` counts requests with another status or no response; the other fields are about the rest. */
export type Loaded = { perSecond: number; timesMs: number[]; failed: number }

/** Sends one request over a keep-alive connection and reads the whole response. Returns its size in bytes. Throws an Error for another status. */
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
        else reject(new Error(`${method} ${path}: status ${answer.statusCode}`))
      })
    })
    sent.on('error', (error) => reject(new Error(`${method} ${path}: ${error.message}`, { cause: error })))
    sent.end(body)
  })
}

/** Size of one response body, without compression, in bytes. */
export async function bytesOf(url: string, call: Call): Promise<number> {
  const agent = new Agent()
  return send(new URL(url), agent, call)
}

/**
 * Sends requests over `connections` keep-alive connections, one after the other on each, for `seconds` or until `atMost` are
 * sent. It opens the connections before the clock starts.
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
    const sendInTurn = async () => {
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
    await Promise.all(Array.from({ length: options.connections }, sendInTurn))
    return { perSecond: timesMs.length / ((performance.now() - started) / 1000), timesMs, failed }
  } finally {
    agent.destroy()
  }
}
