import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deleteUserData, watchSignOut } from './device.ts'
import {
  deleteExpired,
  reassignPersisted,
  persistUpload,
  listPersisted,
  updatePersisted,
} from '../upload/persisted-uploads.ts'
import { uploadListFor } from '../upload/upload-list.ts'
import { newUploadItem } from '../upload/upload-item.ts'
import { deleteMessageDraft, storeMessageDraft, readMessageDraft } from '../offline/message-drafts.ts'

const store: Record<string, string> = {}
const listeners = new Map<string, () => void>()
const reload = vi.fn<() => void>()

beforeEach(() => {
  for (const key of Object.keys(store)) delete store[key]
  listeners.clear()
  reload.mockClear()
  const localStorage = Object.create(
    {
      getItem: (key: string) => store[key] ?? null,
      setItem: (key: string, value: string) => void (store[key] = value),
      removeItem: (key: string) => void delete store[key],
    },
    {},
  ) as Storage
  vi.stubGlobal('window', {
    localStorage: new Proxy(localStorage, {
      ownKeys: () => Object.keys(store),
      getOwnPropertyDescriptor: (_, key) => Object.getOwnPropertyDescriptor(store, key),
    }),
    location: { reload },
    addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
  })
  vi.stubGlobal('document', { documentElement: { hidden: false } })
})
afterEach(() => {
  deleteUserData()
  vi.unstubAllGlobals()
})

test('a draft from an earlier page load is shown only to its writer', async () => {
  storeMessageDraft('con_1', 'mem_1', 'Dear uncle')
  vi.resetModules()
  const nextPage = await import('../offline/message-drafts.ts')
  expect(nextPage.readMessageDraft('con_2', 'mem_1')).toBe('')
  expect(nextPage.readMessageDraft('guest', 'mem_1')).toBe('')
  expect(nextPage.readMessageDraft('con_1', 'mem_1')).toBe('Dear uncle')
})

test('text typed on this page follows its writer to a new name', () => {
  storeMessageDraft('con_guest', 'mem_1', 'Dear uncle')
  deleteMessageDraft('con_guest', 'mem_1')
  expect(readMessageDraft('con_named', 'mem_1')).toBe('Dear uncle')
  expect(store).toEqual({ 'message-draft:con_named:mem_1': 'Dear uncle' })
  storeMessageDraft('con_named', 'mem_1', '')
  expect(store).toEqual({})
})

test('signing out deletes drafts and invitations but not wizard texts', () => {
  storeMessageDraft('usr_1', 'mem_1', 'Dear uncle')
  store['contributor-session:mem_2'] = '{}'
  store['former-contributor:mem_3'] = '{}'
  store['nhaka-draft:usr_1:mem_3:4'] = '{}'
  store['cookie-consent'] = 'accepted'
  deleteUserData()
  expect(readMessageDraft('usr_1', 'mem_1')).toBe('')
  expect(Object.keys(store).toSorted()).toEqual(['cookie-consent', 'nhaka-draft:usr_1:mem_3:4', 'signed-out'])
})

const FILE = new File(['a video'], 'wedding.mp4', { type: 'video/mp4' })
const begin = async (key: string, personId: string) =>
  persistUpload({ key, personId, memorialId: 'mem_1', type: 'VIDEO', isMain: false }, FILE)

test('only its sender can resume an unfinished upload, and only for a day', async () => {
  await begin('key-1', 'con_1')
  updatePersisted('key-1', '/api/memorials/mem_1/uploads/upl_1', 4)
  const found = [
    listPersisted('con_1', 'mem_1').map(({ name, url, safe }) => [name, url, safe]),
    listPersisted('con_2', 'mem_1'),
    listPersisted('con_1', 'mem_2'),
  ]
  expect(found).toEqual([[['wedding.mp4', '/api/memorials/mem_1/uploads/upl_1', 4]], [], []])
  vi.useFakeTimers({ now: Date.now() + 23 * 3600_000 })
  deleteExpired()
  vi.useRealTimers()
  expect(Object.keys(store)).toEqual([])
})

test('an upload goes on under a new invitation, from its first byte', async () => {
  await begin('key-5', 'con_1')
  updatePersisted('key-5', '/api/memorials/mem_1/uploads/upl_1', 4)
  reassignPersisted('con_1', 'mem_1', 'con_2')
  expect(listPersisted('con_1', 'mem_1')).toEqual([])
  const found = listPersisted('con_2', 'mem_1').map(({ key, url, safe }) => [key, url, safe])
  expect(found).toEqual([['key-5', null, 0]])
})

test('signing out, or another person, deletes persisted uploads', async () => {
  await begin('key-3', 'con_1')
  await begin('key-4', 'usr_1')
  reassignPersisted('con_1', 'mem_1', null)
  expect(Object.keys(store)).toEqual(['kept-upload:key-4'])
  deleteUserData()
  updatePersisted('key-4', '/api/memorials/mem_1/uploads/upl_2', 7)
  expect(Object.keys(store)).toEqual(['signed-out'])
})

test('signing out in another tab stops uploads and persists none again', async () => {
  const item = newUploadItem(FILE, { type: 'VIDEO', state: 'sending' })
  uploadListFor('mem_1').add([item])
  await begin(item.key, 'con_1')
  watchSignOut()
  for (const key of Object.keys(store)) delete store[key]
  store['signed-out'] = '2026-11-21T08:00:00.000Z'
  listeners.get('storage')?.()
  expect([item.control.state(), uploadListFor('mem_1').items()]).toEqual(['stopped', []])
  await begin(item.key, 'con_1')
  expect(Object.keys(store)).toEqual(['signed-out'])
})

test('signing out stops the uploads and removes them from the screen', () => {
  const uploads = uploadListFor('mem_1')
  const item = newUploadItem(FILE, { type: 'VIDEO', state: 'sending' })
  uploads.add([item])
  deleteUserData()
  expect([item.control.state(), uploads.items(), uploadListFor('mem_1').items()]).toEqual(['stopped', [], []])
})

test('an upload persisted in another format is deleted', () => {
  store['kept-upload:key-1'] = '{"key":"key-1"}'
  store['kept-upload:key-2'] = 'not JSON'
  expect(listPersisted('con_1', 'mem_1')).toEqual([])
  expect(Object.keys(store)).toEqual([])
})

test('an open page hides and reloads itself when the user signs out elsewhere', () => {
  watchSignOut()
  for (const type of ['pageshow', 'storage']) listeners.get(type)?.()
  expect(reload).not.toHaveBeenCalled()
  store['signed-out'] = '2026-11-21T08:00:00.000Z'
  for (const type of ['pageshow', 'storage']) {
    listeners.get(type)?.()
    expect(document.documentElement.hidden).toBe(true)
  }
  expect(reload).toHaveBeenCalledTimes(2)
})
