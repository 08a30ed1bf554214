import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetPerson, watchSignOut } from './device.ts'
import { forgetMessageDraft, keepMessageDraft, readMessageDraft } from './message-drafts.ts'

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
  forgetPerson()
  vi.unstubAllGlobals()
})

test('V4: a message begun before this page was opened is shown to its writer alone', async () => {
  keepMessageDraft('con_1', 'mem_1', 'Dear uncle')
  vi.resetModules()
  const nextPage = await import('./message-drafts.ts')
  expect(nextPage.readMessageDraft('con_2', 'mem_1')).toBe('')
  expect(nextPage.readMessageDraft('guest', 'mem_1')).toBe('')
  expect(nextPage.readMessageDraft('con_1', 'mem_1')).toBe('Dear uncle')
})

test('V4: what is typed on this page stays with who types it, under whatever name, and leaves the old name', () => {
  keepMessageDraft('con_guest', 'mem_1', 'Dear uncle')
  forgetMessageDraft('con_guest', 'mem_1')
  expect(readMessageDraft('con_named', 'mem_1')).toBe('Dear uncle')
  expect(store).toEqual({ 'message-draft:con_named:mem_1': 'Dear uncle' })
  keepMessageDraft('con_named', 'mem_1', '')
  expect(store).toEqual({})
})

test('V4: signing out leaves no begun message and no invitation, only words of the builder and the cookie answer', () => {
  keepMessageDraft('usr_1', 'mem_1', 'Dear uncle')
  store['contributor-session:mem_2'] = '{}'
  store['nhaka-draft:usr_1:mem_3:4'] = '{}'
  store['cookie-consent'] = 'accepted'
  forgetPerson()
  expect(readMessageDraft('usr_1', 'mem_1')).toBe('')
  expect(Object.keys(store).toSorted()).toEqual(['cookie-consent', 'nhaka-draft:usr_1:mem_3:4', 'signed-out'])
})

test('V4: a page that was open while somebody signed out elsewhere hides itself and begins anew', () => {
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
