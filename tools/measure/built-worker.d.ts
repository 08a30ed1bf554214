/** What the build left in `dist/nhaka/index.js`, as far as `entry.ts` needs to know it. */
declare module 'built-worker' {
  type Entrypoint = new (ctx: unknown, env: unknown) => object
  const worker: { fetch(request: Request, env: unknown, ctx: unknown): Promise<Response> }
  export default worker
  export const PublicPages: Entrypoint
  export const MemorialQuota: Entrypoint
}
