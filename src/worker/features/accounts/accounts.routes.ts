import type { App } from '#worker/http/route.ts'

export function accountRoutes(_app: App): void {}
