import { expect, test } from 'vitest'
import { hasCardForm } from './pages.ts'

test('the wizard and the checkout are the screens with a card form', () => {
  const paths = [
    '/create-memorial',
    '/create-memorial/mem_1',
    '/checkout',
    '/login',
    '/checkouts',
    '/',
    '/dashboard',
  ]
  expect(paths.filter(hasCardForm)).toEqual(['/create-memorial', '/create-memorial/mem_1', '/checkout'])
})
