# Sparse data: fit and prediction by vpsvm() and by e1071::svm() from the same dgCMatrix, both with
# given parameters of the radial kernel, so that one machine is fitted and nothing is searched. The
# ratio is e1071's seconds over ours.
#
#   Rscript bench/bench-sparse.R [n=1000,3000] [p=1000,20000,100000]
#                                [density=0.1,0.005,0.001] [reps=1] [threads=1]
#
# e1071 reads a dgCMatrix through the package SparseM. Seconds are of the processor, summed over
# threads.
source("bench/common.R")

a <- arguments(n = c(1000, 3000), p = c(1000, 20000, 100000), density = c(0.1, 0.005, 0.001),
               reps = 1, threads = 1)
if (!installed("e1071") || !installed("SparseM")) quit(status = 0)
suppressMessages(library(flexkern))

# Documents of two classes: the first tenth of the columns are words that one class uses more.
sparse_case <- function(n, p, density) {
  x <- abs(Matrix::rsparsematrix(n, p, density))
  cut <- seq_len(max(1, p %/% 10))
  score <- Matrix::rowSums(x[, cut, drop = FALSE])
  list(x = x, y = factor(score > stats::median(score)))
}

# Seconds of the processor, the least of a$reps runs, and the value of the last one.
timed <- function(run) {
  best <- Inf
  for (i in seq_len(a$reps)) {
    best <- min(best, sum(system.time(value <- run())[c("user.self", "sys.self")]))
  }
  list(seconds = best, value = value)
}

compare <- function(n, p, density) {
  set.seed(1)
  case <- sparse_case(2 * n, p, density)
  x <- case$x[1:n, ]
  y <- case$y[1:n]
  new <- case$x[-(1:n), ]
  gamma <- 0.5 / mean(Matrix::rowSums(x^2))
  ours <- timed(function() {
    vpsvm(x, y, gamma = gamma, cost = 1, scale = FALSE, partition = "none", threads = a$threads,
          verbose = FALSE)
  })
  theirs <- timed(function() {
    e1071::svm(x, y, gamma = gamma, cost = 1, scale = FALSE, fitted = FALSE)
  })
  label <- timed(function() predict(ours$value, new, threads = a$threads, verbose = FALSE))
  their_label <- timed(function() predict(theirs$value, new))
  error <- function(label) mean(as.character(label$value) != case$y[-(1:n)])
  list(fit = c(ours$seconds, theirs$seconds), predicted = c(label$seconds, their_label$seconds),
       error = c(error(label), error(their_label)))
}

row <- function(n, p, density) {
  r <- compare(n, p, density)
  ratio <- function(seconds) decimals(seconds[2] / seconds[1], 1)
  list(
    rows = n, columns = format(p, scientific = FALSE), density = density,
    fit = decimals(r$fit[1], 2), "svm fit" = decimals(r$fit[2], 2), ratio = ratio(r$fit),
    predict = decimals(r$predicted[1], 2), "svm predict" = decimals(r$predicted[2], 2),
    "predict ratio" = ratio(r$predicted), error = decimals(r$error[1], 3),
    "svm error" = decimals(r$error[2], 3)
  )
}

rows <- list()
for (n in a$n) for (k in seq_along(a$p)) {
  rows <- c(rows, list(as.data.frame(row(n, a$p[k], a$density[k]), optional = TRUE)))
}
markdown(do.call(rbind, rows))
