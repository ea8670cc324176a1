/// Whose installs a set in `install_set` holds.
enum InstallScope: Int64 {
    case leak = 0
    case leakBuild = 1
    case release = 2
    case slot = 3
    case leakRelease = 4
    case day = 5

    /// The row of the set: the scope in the low three bits, so that one table and one index serve all.
    func row(owner: Int64) -> Int64 { owner << 3 | rawValue }
}
