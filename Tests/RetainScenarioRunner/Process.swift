#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

func exitProcess(_ status: Int32) -> Never { exit(status) }
