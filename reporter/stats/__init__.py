"""Count tables to estimates, agreements, trees and verdicts. Knows numpy and scipy.special only."""
