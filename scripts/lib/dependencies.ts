/** What package.json says of the packages that are named there. */
export type Manifest = {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}
type Locked = {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  hasInstallScript?: boolean
  deprecated?: string
}
/** package-lock.json, version 3: folder -> package; the folder '' is the project itself. */
export type Lock = { packages: Record<string, Locked> }

/** Packages whose install script is needed, because it fetches or picks a program for this system. */
const MAY_RUN_ON_INSTALL = new Set(['esbuild', 'node', 'workerd'])

/** Licences under which a package may be part of what we serve. */
const SERVED_LICENSES = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'MPL-2.0',
  'OFL-1.1',
  '0BSD',
  'BlueOak-1.0.0',
])

/** Packages that name their licence in their readme alone. */
const LICENSE_IN_README = new Map([['combine-errors', 'MIT']])

/**
 * What is wrong with the packages that the product is made of, one line each, as far as it can be known without a network:
 * a version that is not exact, a package without a checksum or from elsewhere than the registry, one that runs a program
 * when it is installed, one that its makers gave up, a licence that does not let us serve it. Known holes are asked of the
 * registry by `npm run audit`.
 */
export function dependencyProblems(manifest: Manifest, { packages }: Lock): string[] {
  const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  return [
    ...named
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u.test(version))
      .map(([name, version]) => `${name}: ${version} is not an exact version`),
    ...named
      .filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version)
      .map(([name]) => `${name}: the lock has another version`),
    ...Object.entries(packages).flatMap(([folder, locked]) =>
      folder === '' ? [] : packageProblems(nameOf(folder), locked),
    ),
  ]
}

/** How many packages are served to people or run in the Worker, and how many only build and test. */
export function countPackages({ packages }: Lock): { served: number; tools: number } {
  const all = Object.entries(packages).filter(([folder]) => folder !== '')
  const served = all.filter(([, locked]) => isServed(locked)).length
  return { served, tools: all.length - served }
}

function packageProblems(name: string, locked: Locked): string[] {
  const problems: string[] = []
  if (!locked.integrity?.startsWith('sha512-')) problems.push('has no checksum')
  // The lock leaves the address out for what comes from the registry (.npmrc).
  if (locked.resolved !== undefined) problems.push(`comes from elsewhere: ${locked.resolved}`)
  if (locked.hasInstallScript && !MAY_RUN_ON_INSTALL.has(name))
    problems.push('runs a program when it is installed')
  if (locked.deprecated !== undefined) problems.push(`is given up: ${locked.deprecated}`)
  const license = locked.license ?? LICENSE_IN_README.get(name) ?? 'none'
  if (isServed(locked) && !SERVED_LICENSES.has(license))
    problems.push(`has a licence that we may not serve it under: ${license}`)
  return problems.map((problem) => `${name} ${problem}`)
}

function isServed({ dev, devOptional, optional }: Locked): boolean {
  return !dev && !devOptional && !optional
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
