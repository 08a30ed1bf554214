import { expect, test } from 'vitest'
import { hasCardForm, isAppPath, allowsMicrophone, paths } from './pages.ts'

test('the wizard and the screens that take a payment are those with a card form', () => {
  const tried = [
    '/create-memorial',
    '/create-memorial/mem_1',
    '/checkout',
    '/pay/nobody-aaaaaa',
    '/let-in/nobody-aaaaaa',
    '/login',
    '/checkouts',
    '/payments',
    '/',
    '/dashboard',
  ]
  expect(tried.filter(hasCardForm)).toEqual([
    '/create-memorial',
    '/create-memorial/mem_1',
    '/checkout',
    '/pay/nobody-aaaaaa',
  ])
})

test('app documents allow the microphone, except those that only take a payment', () => {
  const tried = [
    '/memorial/mem_1',
    '/create-memorial/mem_1',
    '/dashboard',
    '/checkout',
    '/pay/nobody-aaaaaa',
    '/nowhere',
    '/api/me',
  ]
  expect(tried.filter(allowsMicrophone)).toEqual(['/memorial/mem_1', '/create-memorial/mem_1', '/dashboard'])
})

test('the app has a screen at every path of the route table and at no other', () => {
  const filled = Object.values(paths).map((path) => path.replaceAll(/:[a-z]+/gu, 'nobody-aaaaaa'))
  expect(filled.filter((path) => !isAppPath(path))).toEqual([])
  expect(filled.toSorted()).toEqual([
    '/',
    '/about',
    '/admin',
    '/checkout',
    '/confirm-email/nobody-aaaaaa',
    '/contact',
    '/create-memorial',
    '/create-memorial/nobody-aaaaaa',
    '/dashboard',
    '/faq',
    '/follow/nobody-aaaaaa',
    '/forgot-password',
    '/gift',
    '/invite/nobody-aaaaaa',
    '/invite/nobody-aaaaaa/pin',
    '/keep/nobody-aaaaaa',
    '/let-in/nobody-aaaaaa',
    '/login',
    '/m/nobody-aaaaaa',
    '/m/nobody-aaaaaa/words',
    '/memorial/nobody-aaaaaa',
    '/memorial/nobody-aaaaaa/again',
    '/memorial/nobody-aaaaaa/ask',
    '/memorial/nobody-aaaaaa/follow',
    '/memorial/nobody-aaaaaa/plaque',
    '/memorial/nobody-aaaaaa/replies',
    '/memorial/nobody-aaaaaa/successor',
    '/pay/nobody-aaaaaa',
    '/printed-code',
    '/privacy',
    '/redeem',
    '/redeem/nobody-aaaaaa',
    '/register',
    '/reply/nobody-aaaaaa',
    '/report',
    '/request-removal',
    '/reset-password',
    '/reset-password/nobody-aaaaaa',
    '/still-here/nobody-aaaaaa',
    '/terms',
    '/undo-email/nobody-aaaaaa',
    '/unfollow/nobody-aaaaaa',
    '/unsubscribe/nobody-aaaaaa',
    '/verify-email/nobody-aaaaaa',
  ])
  const others = [
    '/no-such-page',
    '/m',
    '/m/a/b',
    '/memorial',
    '/invite',
    '/loginx',
    '/admin/users',
    '/Login',
  ]
  expect(others.filter(isAppPath)).toEqual([])
})
