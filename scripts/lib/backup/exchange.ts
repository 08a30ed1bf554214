import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'

/**
 * Sends a body as fast as it is taken, and returns the answer. The answer counts, also one that comes before everything was
 * sent and closes the line: it says why. Throws where none comes, or where the body cannot be read.
 */
export async function exchange(
  call: ClientRequest,
  body: AsyncIterable<Uint8Array> | null,
): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((done, fail) => {
    call.once('response', done)
    call.on('error', fail)
  })
  if (body) {
    sendBody(call, body).catch((error: unknown) => {
      if (!call.destroyed) call.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  } else call.end()
  return answered
}

async function sendBody(call: ClientRequest, body: AsyncIterable<Uint8Array>): Promise<void> {
  const closed = once(call, 'close')
  // What went wrong is said where the answer is waited for.
  closed.catch(() => null)
  for await (const chunk of body) {
    if (call.destroyed) return
    if (!call.write(chunk)) await Promise.race([once(call, 'drain'), closed])
  }
  call.end()
}
