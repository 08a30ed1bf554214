import type { App } from '#worker/http/route.ts'

export function memorialRoutes(_app: App): void {}
