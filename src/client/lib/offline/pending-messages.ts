import { clear, createStore, del, get, set, values } from 'idb-keyval'
import type { Comment } from '#shared/comments.ts'

/** A message that is written and not known to be on the server. */
export type WaitingMessage = {
  /** Idempotency key: however often it is sent, it is there once. */
  key: string
  memorialId: string
  /** Under whose name it goes out: an account's or a contributor's id. */
  authorId: string
  body: string
  /** Milliseconds. */
  writtenAt: number
  /** Why the server will never take it, in words; null while it waits. */
  problem: string | null
}

/** What became of one try. */
export type Tried =
  | { kind: 'sent'; comment: Comment }
  /** For good, with the server's words or none. */
  | { kind: 'refused'; text: string | null }
  /** The server could not be reached, or cannot at the moment. */
  | { kind: 'later' }

/** Told to every page of ours: something of a memorial's waiting messages has changed; `posted`: what became of which. */
export type WaitingNews = { memorialId: string | null; posted?: { key: string; comment: Comment } }

/** The name of the lock, the channel and the wish to be woken. */
export const WAITING = 'waiting-messages'

const store = createStore(WAITING, 'messages')

/** One after another, over all tabs and the service worker, where the browser can do that; the key does the rest. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request(WAITING, work) : work()
}

const listeners = new Set<(news: WaitingNews) => void>()
let channel: BroadcastChannel | null = null

/** The other tabs and the service worker; older browsers have no way to them. */
function others(): BroadcastChannel | null {
  if (channel || typeof BroadcastChannel === 'undefined') return channel
  channel = new BroadcastChannel(WAITING)
  channel.addEventListener('message', ({ data }: MessageEvent<WaitingNews>) => hear(data))
  return channel
}

function hear(news: WaitingNews): void {
  for (const listener of listeners) listener(news)
}

function tell(news: WaitingNews): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this site, and takes no origin
  others()?.postMessage(news)
  hear(news)
}

/** Calls `listener` whenever waiting messages have changed, in whatever tab. Returns how to end it. */
export function watchWaiting(listener: (news: WaitingNews) => void): () => void {
  others()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Puts a message by on this device. False where the browser keeps nothing. */
export async function keepWaiting(message: WaitingMessage): Promise<boolean> {
  try {
    await set(message.key, message, store)
    tell({ memorialId: message.memorialId })
    return true
  } catch {
    return false
  }
}

/** Everything that waits or was refused, in the order it was written. */
export async function listWaiting(): Promise<WaitingMessage[]> {
  try {
    if (!(await hasStore())) return []
    const found = await values<WaitingMessage>(store)
    return found.sort((a, b) => a.writtenAt - b.writtenAt)
  } catch {
    return []
  }
}

/** False where nothing was ever put by: to look would make the store, and most who visit never write. */
async function hasStore(): Promise<boolean> {
  const known = await globalThis.indexedDB?.databases?.()
  return known?.some(({ name }) => name === WAITING) ?? true
}

/** Takes a message back. False where it was sent meanwhile. */
export async function cancelWaiting(key: string): Promise<boolean> {
  return alone(async () => {
    const message = await get<WaitingMessage>(key, store)
    await del(key, store)
    tell({ memorialId: message?.memorialId ?? null })
    return message !== undefined
  })
}

/**
 * Sends what waits, or the one message with this key, each by `send`. Answers what became of the last; stops at the first
 * that has to wait. A message is looked up just before it goes: what was taken back, or its person has signed out, does not.
 */
export async function sendWaiting(
  send: (message: WaitingMessage) => Promise<Tried>,
  only?: string,
): Promise<Tried | null> {
  return alone(async () => {
    let last: Tried | null = null
    for (const { key, memorialId } of await listWaiting()) {
      const message = only === undefined || only === key ? await get<WaitingMessage>(key, store) : undefined
      if (!message || message.problem !== null) continue
      last = await send(message)
      if (last.kind === 'later') return last
      await settle(message, last)
      tell({ memorialId, ...(last.kind === 'sent' && { posted: { key, comment: last.comment } }) })
    }
    return last
  })
}

async function settle(message: WaitingMessage, tried: Tried): Promise<void> {
  const isNotDeleted = (await get(message.key, store)) !== undefined
  if (tried.kind === 'refused' && isNotDeleted) {
    await set(message.key, { ...message, problem: tried.text ?? '' }, store)
  } else {
    await del(message.key, store)
  }
}

/** Another person writes to this memorial from this device: what the one before has not sent goes. */
export function forgetWaitingOf(authorId: string, memorialId: string): void {
  void alone(async () => {
    for (const message of await listWaiting()) {
      if (message.authorId === authorId && message.memorialId === memorialId) await del(message.key, store)
    }
    tell({ memorialId })
  })
}

/** Forgets every message, of whoever: somebody signs out. */
export function forgetWaiting(): void {
  // At once, and again after what is being written.
  void empty()
  void alone(empty)
}

async function empty(): Promise<void> {
  try {
    await clear(store)
    tell({ memorialId: null })
  } catch {
    // A browser that keeps nothing.
  }
}

/** Asks to be woken when there is a line again, also after the page was closed, where the browser can do that. */
export async function askToBeWoken(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.getRegistration()
    const { sync } = registration as { sync?: { register: (tag: string) => Promise<void> } }
    await sync?.register(WAITING)
  } catch {
    // It is sent when a page of ours is opened.
  }
}
