import type { App } from '#worker/http/route.ts'

export function paymentRoutes(_app: App): void {}
