import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below 32768, from where Linux itself takes ports for connections: such a port would soon be somebody else's. */
const FIRST = 20_000
const LAST = 32_000
const TRIES = 100

/** A TCP port of the loopback address that is free at the moment. Throws an Error if there is none. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, LAST + 1)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error('No port is free')
}
