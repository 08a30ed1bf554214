import type { App } from '#worker/http/route.ts'

export function adminRoutes(_app: App): void {}
