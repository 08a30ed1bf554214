import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endSession, isGuestSession, storeSession, readStoredSession } from './contributor-session.ts'

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
  vi.stubGlobal('window', {
    localStorage: {
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    },
  })
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

test('another name deletes the drafts of the one before', () => {
  storeSession(session, 'invite-1')
  items.set('message-draft:con_1:mem_1', 'Dear uncle')
  items.set('message-draft:con_1:mem_2', 'Elsewhere')
  storeSession({ ...session, contributorId: 'con_2', displayName: 'Rudo' }, 'invite-1')
  expect([...items.keys()].toSorted()).toEqual(['contributor-session:mem_1', 'message-draft:con_1:mem_2'])
})

test('after the family replaced the link, the same name goes on with what was not sent', () => {
  const guest = { ...session, contributorId: 'con_2', displayName: 'Guest Visitor' }
  for (const [name, kept] of [
    ['farai', ['message-draft:con_3:mem_1']],
    ['Rudo', []],
  ] as const) {
    items.clear()
    storeSession(session, 'invite-1')
    items.set('message-draft:con_1:mem_1', 'Dear uncle')
    endSession('mem_1')
    expect(storeSession(guest, 'invite-2').former?.displayName).toBe('Farai')
    storeSession({ ...session, contributorId: 'con_3', displayName: name }, 'invite-2')
    expect([...items.keys()].filter((key) => key.startsWith('message'))).toEqual(kept)
    expect(readStoredSession('mem_1')).toEqual({
      contributorId: 'con_3',
      displayName: name,
      inviteToken: 'invite-2',
    })
  }
})
