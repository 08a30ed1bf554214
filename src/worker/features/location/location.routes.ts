import type { App } from '#worker/http/route.ts'

export function locationRoutes(_app: App): void {}
