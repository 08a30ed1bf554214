import type { App } from '#worker/http/route.ts'

export function contactRoutes(_app: App): void {}
