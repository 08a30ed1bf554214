import { readdirSync, readFileSync } from 'node:fs'

const SAMPLE_MS = 200

/** Pid of the runtime that this process started last. Linux only. */
export function runtimePid(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
  return Number(children.trim().split(' ').at(-1))
}

/** Resident memory of a process, in MB. */
export function residentMB(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/** CPU time of all threads of a process, in milliseconds. Other load on the machine is not included. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, own) => sum + own, 0) / 1e6
}

/** The highest resident memory (MB) while `work` runs, sampled five times a second. */
export async function highestDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let highest = residentMB(pid)
  const sampling = setInterval(() => {
    highest = Math.max(highest, residentMB(pid))
  }, SAMPLE_MS)
  try {
    await work()
  } finally {
    clearInterval(sampling)
  }
  return Math.max(highest, residentMB(pid))
}
