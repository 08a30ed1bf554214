import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  endSession,
  isGuestSession,
  readFormer,
  storeSession,
  readStoredSession,
} from './contributor-session.ts'

const items = new Map<string, string>()
const quota = { max: 1, used: 0, maxDurationSec: 300, usedDurationSec: 0 }
const session = {
  memorialId: 'mem_1',
  contributorId: 'con_1',
  displayName: 'Farai',
  authToken: 'token-1',
  quotas: { images: { max: 10, used: 0 }, video: quota, audio: quota },
}

beforeEach(() => {
  items.clear()
  const methods = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
  const localStorage = new Proxy(methods, {
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  })
  vi.stubGlobal('window', { localStorage })
})
afterEach(() => vi.unstubAllGlobals())

test('a contributor session is stored under one key per memorial', () => {
  storeSession(session, 'invite-1')
  storeSession({ ...session, memorialId: 'mem_2', displayName: 'Rudo' }, 'invite-2')
  expect([...items.keys()]).toEqual(['contributor-session:mem_1', 'contributor-session:mem_2'])
  expect([readStoredSession('mem_1')?.displayName, readStoredSession('mem_2')?.displayName]).toEqual([
    'Farai',
    'Rudo',
  ])
  endSession('mem_1')
  expect([readStoredSession('mem_1'), readStoredSession('mem_2')?.displayName]).toEqual([null, 'Rudo'])
})

test('an unreadable stored session counts as none', () => {
  for (const text of ['{', 'null', '{"authToken":1}']) {
    items.set('contributor-session:mem_1', text)
    expect(readStoredSession('mem_1')).toBeNull()
  }
})

test('no script can read the session token; the name identifies a guest', () => {
  const stored = storeSession(session, 'invite-1')
  expect(JSON.stringify([...items])).not.toContain(session.authToken)
  expect([isGuestSession(stored), isGuestSession({ displayName: 'Guest Visitor' })]).toEqual([false, true])
})

test('changing or ending a session deletes the drafts made under the old one', () => {
  storeSession(session, 'invite-1')
  items.set('message-draft:con_1:mem_1', 'Dear uncle')
  items.set('message-draft:con_1:mem_2', 'Elsewhere')
  storeSession({ ...session, contributorId: 'con_2', displayName: 'Rudo' }, 'invite-1')
  expect([...items.keys()].toSorted()).toEqual(['contributor-session:mem_1', 'message-draft:con_1:mem_2'])
  items.set('message-draft:con_2:mem_1', 'Dear father')
  endSession('mem_1')
  expect([...items.keys()].toSorted()).toEqual(['former-contributor:mem_1', 'message-draft:con_1:mem_2'])
})

const UPLOAD = {
  key: 'key-1',
  memorialId: 'mem_1',
  personId: 'con_1',
  type: 'IMAGE',
  isMain: false,
  name: 'a.jpg',
  size: 9,
  lastModified: 1,
  mimeType: 'image/jpeg',
  ends: '',
  url: null,
  safe: 0,
  expiresAt: Date.now() + 3600_000,
  hasFile: true,
  isUnwanted: false,
}

test('after the family replaced the link, the same name goes on with what was not sent', () => {
  const guest = { ...session, contributorId: 'con_2', displayName: 'Guest Visitor' }
  for (const [name, personId] of [
    ['farai', 'con_3'],
    ['Rudo', undefined],
  ] as const) {
    items.clear()
    storeSession(session, 'invite-1')
    items.set('kept-upload:key-1', JSON.stringify(UPLOAD))
    endSession('mem_1')
    storeSession(guest, 'invite-2')
    expect(readFormer('mem_1')?.displayName).toBe('Farai')
    storeSession({ ...session, contributorId: 'con_3', displayName: name }, 'invite-2')
    const upload = JSON.parse(items.get('kept-upload:key-1') ?? '{}') as Partial<typeof UPLOAD>
    expect([upload.personId, readFormer('mem_1')]).toEqual([personId, null])
  }
})
