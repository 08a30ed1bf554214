import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { handleApi } from '#worker/api.ts'
import { takeErrorLines } from './error-lines.ts'
import { ORIGIN } from './harness.ts'

test('without PASSWORD_PEPPER nobody registers or signs in, and the log says why', async () => {
  const person = { email: 'rudo@family.test', password: 'Mutare in the rain', firstName: 'R', lastName: 'M' }
  for (const path of ['/api/auth/register', '/api/auth/login']) {
    const request = new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { Origin: ORIGIN, 'Content-Type': 'application/json', 'CF-Connecting-IP': '10.8.8.8' },
      body: JSON.stringify(person),
    })
    const response = await handleApi(request, { ...env, PASSWORD_PEPPER: '' }, createExecutionContext())
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      message: 'This is not available at the moment. Please try again later.',
      code: 'not_available',
      requestId: expect.stringMatching(/^req_/u),
    })
    expect(takeErrorLines().join('\n')).toContain('password_pepper_missing')
  }
})
