import { clear, createStore, del, get, set, values } from 'idb-keyval'
import type { Comment } from '#shared/comments/comments.ts'
import { WAITING_MESSAGES } from './cache-names.ts'

/** A comment that is written but not yet confirmed by the server. */
export type PendingMessage = {
  /** Idempotency key: the server posts it once for each author, however often it is sent. */
  key: string
  memorialId: string
  /** Id of the account or contributor who wrote it. */
  authorId: string
  /** Whose it is on this device, as for drafts: the account of a keeper, who writes as a contributor. Older messages have none. */
  writerId?: string
  body: string
  /** Milliseconds. */
  writtenAt: number
  /** Why the server refused it permanently; null while it is pending. */
  problem: string | null
}

/** The result of one attempt. */
export type SendResult =
  | { kind: 'sent'; comment: Comment }
  /** Permanent, with the server's message or null. */
  | { kind: 'refused'; text: string | null }
  /** The server was unreachable or temporarily unable to answer. */
  | { kind: 'later' }

/** Sent to all pages of this site: a memorial's pending messages changed, and `posted` became a comment. */
export type PendingMessageEvent = { memorialId: string | null; posted?: { key: string; comment: Comment } }

const store = createStore(WAITING_MESSAGES, 'messages')

/** Runs one task at a time in all tabs and the service worker. Without locks, the idempotency key prevents duplicates. */
async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request(WAITING_MESSAGES, work) : work()
}

const listeners = new Set<(news: PendingMessageEvent) => void>()
let channel: BroadcastChannel | null = null

/** The channel to other tabs and the service worker; null in older browsers. */
function openChannel(): BroadcastChannel | null {
  if (channel || typeof BroadcastChannel === 'undefined') return channel
  channel = new BroadcastChannel(WAITING_MESSAGES)
  channel.addEventListener('message', ({ data }: MessageEvent<PendingMessageEvent>) => notifyListeners(data))
  return channel
}

function notifyListeners(news: PendingMessageEvent): void {
  for (const listener of listeners) listener(news)
}

function announce(news: PendingMessageEvent): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this site, and takes no origin
  openChannel()?.postMessage(news)
  notifyListeners(news)
}

/** Calls `listener` when pending messages change in any tab. Returns a function that unsubscribes. */
export function watchPendingMessages(listener: (news: PendingMessageEvent) => void): () => void {
  openChannel()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Stores a message on this device. False if the browser has no storage. */
export async function storePendingMessage(message: PendingMessage): Promise<boolean> {
  try {
    await set(message.key, message, store)
    announce({ memorialId: message.memorialId })
    return true
  } catch {
    return false
  }
}

/** All pending and refused messages, oldest first. */
export async function listPendingMessages(): Promise<PendingMessage[]> {
  try {
    if (!(await hasStore())) return []
    const found = await values<PendingMessage>(store)
    return found.sort((a, b) => a.writtenAt - b.writtenAt)
  } catch {
    return []
  }
}

/** False if nothing was ever stored. Reading would create the database, and most visitors never write. */
async function hasStore(): Promise<boolean> {
  const known = await globalThis.indexedDB?.databases?.()
  return known?.some(({ name }) => name === WAITING_MESSAGES) ?? true
}

/** Deletes a pending message. False if it was already sent. */
export async function cancelPendingMessage(key: string): Promise<boolean> {
  return exclusively(async () => {
    const message = await get<PendingMessage>(key, store)
    await del(key, store)
    announce({ memorialId: message?.memorialId ?? null })
    return message !== undefined
  })
}

/**
 * Sends all pending messages, or only the one with this key, with `send`. Returns the last result; stops at the first
 * `later`. Rereads each message just before it is sent, because the user may have cancelled it or signed out.
 */
export async function sendPending(
  send: (message: PendingMessage) => Promise<SendResult>,
  only?: string,
): Promise<SendResult | null> {
  return exclusively(async () => {
    let last: SendResult | null = null
    for (const { key, memorialId } of await listPendingMessages()) {
      const message = only === undefined || only === key ? await get<PendingMessage>(key, store) : undefined
      if (!message || message.problem !== null) continue
      last = await send(message)
      if (last.kind === 'later') return last
      await settle(message, last)
      announce({ memorialId, ...(last.kind === 'sent' && { posted: { key, comment: last.comment } }) })
    }
    return last
  })
}

async function settle(message: PendingMessage, result: SendResult): Promise<void> {
  const isStillPending = (await get(message.key, store)) !== undefined
  if (result.kind === 'refused' && isStillPending) {
    await set(message.key, { ...message, problem: result.text ?? '' }, store)
  } else {
    await del(message.key, store)
  }
}

/**
 * Gives this author's pending messages to a memorial to `heirId`, the same person under a new invitation; refused ones are
 * tried again. Null deletes them: another person starts to write on this device. Returns whether there were any.
 */
export function reassignPendingMessages(
  authorId: string,
  memorialId: string,
  heirId: string | null,
): Promise<boolean> {
  return exclusively(async () => {
    const all = await listPendingMessages()
    const own = all.filter((one) => one.memorialId === memorialId && one.authorId === authorId)
    for (const message of own) {
      if (heirId === null) await del(message.key, store)
      else await set(message.key, { ...message, authorId: heirId, problem: null }, store)
    }
    announce({ memorialId })
    return own.length > 0
  })
}

/** Deletes all messages of all authors, at sign-out. */
export function deleteAllPendingMessages(): void {
  // At once, and again after a write in progress.
  void clearStore()
  void exclusively(clearStore)
}

async function clearStore(): Promise<void> {
  try {
    await clear(store)
    announce({ memorialId: null })
  } catch {
    // The browser has no storage.
  }
}

/** Requests a background sync, which sends messages on reconnection even if the page is closed, where supported. */
export async function requestBackgroundSync(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.getRegistration()
    const { sync } = registration as { sync?: { register: (tag: string) => Promise<void> } }
    await sync?.register(WAITING_MESSAGES)
  } catch {
    // The next page of this site sends it instead.
  }
}
