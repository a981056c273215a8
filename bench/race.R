# race(): times several ways of doing one job and prints each time as a ratio to the first.
# `contestants`: a named list of functions without arguments. They take turns, `rounds` times, so
# that a slow minute of the machine hits all of them; the median counts.

race <- function(contestants, rounds = 3) {
  seconds <- matrix(NA_real_, rounds, length(contestants))
  colnames(seconds) <- names(contestants)
  for (round in seq_len(rounds)) {
    for (name in names(contestants)) {
      gc(FALSE)
      seconds[round, name] <- system.time(contestants[[name]]())[["elapsed"]]
    }
  }
  middle <- apply(seconds, 2, median)
  cat(sprintf("%-28s %10s %8s\n", "", "median [s]", "ratio"))
  cat(sprintf("%-28s %10.3f %8.2f\n", names(middle), middle, middle / middle[[1]]), sep = "")
  invisible(seconds)
}
