#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Mathematical functions that the tests and intervals use.
enum SpecialFunctions {
    /// Returns the logarithm of the gamma function of a positive number.
    static func logGamma(_ x: Double) -> Double {
        // `lgamma` writes a global variable; `lgamma_r` can be called from several threads.
        var sign: Int32 = 0
        return unsafe lgamma_r(x, &sign)
    }

    /// Returns the regularized incomplete beta function I_x(a, b), by its continued fraction.
    ///
    /// Sources: NIST Digital Library of Mathematical Functions, 8.17.4 (symmetry) and 8.17.22 (fraction),
    /// https://dlmf.nist.gov/8.17; evaluated forwards by the method of Lentz (Applied Optics 15, 1976) as modified by Thompson
    /// and Barnett (1986).
    ///
    /// - Parameters:
    ///   - x: from 0 to 1.
    ///   - a: positive.
    ///   - b: positive.
    static func incompleteBeta(_ x: Double, a: Double, b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        // The fraction converges fast only if x is below the mean.
        guard x <= (a + 1) / (a + b + 2) else { return 1 - incompleteBeta(1 - x, a: b, b: a) }
        let scale = logGamma(a + b) - logGamma(a) - logGamma(b) + a * log(x) + b * log1p(-x)
        return min(1, exp(scale) * continuedFraction(x, a: a, b: b) / a)
    }

    private static func continuedFraction(_ x: Double, a: Double, b: Double) -> Double {
        // The fraction needs about sqrt(max(a, b)) steps. This number suffices for 10¹⁰ trials.
        let stepLimit = 200_000
        func nonzero(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
        var c = 1.0
        var d = 1 / nonzero(1 - (a + b) * x / (a + 1))
        var result = d
        for step in 1...stepLimit {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            d = 1 / nonzero(1 + even * d)
            c = nonzero(1 + even / c)
            result *= d * c
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            d = 1 / nonzero(1 + odd * d)
            c = nonzero(1 + odd / c)
            let change = d * c
            result *= change
            if abs(change - 1) < 1e-15 { break }
        }
        return result
    }

    /// Returns the x for which I_x(a, b) is the given probability, by bisection.
    static func incompleteBetaInverse(_ probability: Double, a: Double, b: Double) -> Double {
        guard probability > 0 else { return 0 }
        guard probability < 1 else { return 1 }
        var (low, high) = (0.0, 1.0)
        // A result near 0 must have a small relative error, so the upper bound is quartered until the lower bound is above 0.
        while high - low > 1e-14 * high {
            let middle = low == 0 && high > 1e-300 ? high / 4 : low + (high - low) / 2
            guard middle > low, middle < high else { break }
            if incompleteBeta(middle, a: a, b: b) < probability { low = middle } else { high = middle }
        }
        return low + (high - low) / 2
    }

    /// Returns the quantile of the standard normal distribution, by bisection of `erfc`.
    static func normalQuantile(_ probability: Double) -> Double {
        var (low, high) = (-40.0, 40.0)
        while high - low > 1e-14 * max(1, abs(low)) {
            let middle = low + (high - low) / 2
            guard middle > low, middle < high else { break }
            if erfc(-middle / 2.0.squareRoot()) / 2 < probability { low = middle } else { high = middle }
        }
        return low + (high - low) / 2
    }
}
