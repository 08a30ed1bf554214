// Runs on Node 20 or later: installs the packages if needed, then starts the command with the Node 24 in node_modules.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const [command, ...args] = process.argv.slice(2)
const script = ['operate', 'build', 'measure']
  .map((folder) => resolve(root, 'tools', folder, `${command}.ts`))
  .find((path) => existsSync(path))
const stamp = resolve(root, 'node_modules', '.installed-from')
const node = resolve(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

if (!command || !script) {
  console.error(
    'usage: npm start | npm test | npm run verify | prove | bench | soak | admin | check:data | reconcile | smoke | backup | restore | setup:cloudflare | deploy | screenshots',
  )
  process.exit(2)
}

const lock = createHash('sha256')
  .update(readFileSync(resolve(root, 'package-lock.json')))
  .digest('hex')
const isInstalled = existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === lock
if (!isInstalled) {
  console.error('Installing packages …')
  const npm = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0) {
    console.error('Could not install the packages. Is the network available?')
    process.exit(npm.status ?? 1)
  }
  writeFileSync(stamp, lock)
}

const path = `${resolve(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`
const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: path },
})
// The terminal sends Ctrl-C to the child as well; other signals are forwarded. This process exits when the child has.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
