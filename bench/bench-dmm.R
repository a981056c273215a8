# gamma_dmm() beside dist(): seconds, ratio, share of the processor's matrix-product rate, and the
# peak memory of a process of its own.
#
#   Rscript bench/bench-dmm.R [data=usps,shuttle,letter] [threads=2] [reps=3] [distance=nn]
#
# The data are read from the folder that the variable FLEXKERN_DATA names. dist() is timed where its
# result fits into 2 GB. The rate is that of one product of two 2000 x 2000 matrices by R, on the
# same threads where R's library has them: the operations counted for gamma_dmm() are those of all
# pairs of rows of different classes, whether they were looked at or not.
source("bench/common.R")

a <- arguments(data = c("usps", "shuttle", "letter"), threads = default_threads(), reps = 3,
               distance = "nn")

training <- function(name) {
  d <- data_file(name)
  if (is.null(d)) return(NULL)
  if (!is.null(d$split)) d <- d[d$split == "train", ]
  x <- as.matrix(d[setdiff(names(d), c("y", "split"))])
  storage.mode(x) <- "double"
  list(x = apply(x, 2, function(v) if (min(v) < max(v)) to_unit(v, range(v)) else 0 * v),
       y = factor(d$y))
}

product_rate <- function() {
  m <- matrix(stats::runif(4e6), 2000)
  2 * 2000^3 / stats::median(replicate(3, elapsed(m %*% m)))
}

# Peak memory of a process that does nothing but this: what Linux keeps for it.
peak_memory <- function(name) {
  if (!file.exists("/proc/self/status")) return(NA)
  code <- c(
    "a <- commandArgs(TRUE); .libPaths(strsplit(a[1], .Platform$path.sep)[[1]])",
    "d <- readRDS(a[2])",
    "flexkern::gamma_dmm(d$x, d$y, a[3], scale = 'none', threads = as.integer(a[4]))",
    "cat(grep('^VmHWM', readLines('/proc/self/status'), value = TRUE))"
  )
  files <- tempfile(c("data", "script"))
  saveRDS(training(name), files[1])
  writeLines(code, files[2])
  out <- system2(file.path(R.home("bin"), "Rscript"), stdout = TRUE, stderr = FALSE, c(
    "--vanilla", files[2], shQuote(paste(.libPaths(), collapse = .Platform$path.sep)), files[1],
    a$distance, a$threads
  ))
  as.numeric(gsub("[^0-9]", "", utils::tail(out, 1))) * 1024 / 1e6
}

one_data_set <- function(name, rate) {
  d <- training(name)
  if (is.null(d)) return(NULL)
  n <- nrow(d$x)
  call <- function() flexkern::gamma_dmm(d$x, d$y, a$distance, scale = "none", threads = a$threads)
  ours <- stats::median(replicate(a$reps, elapsed(suppressWarnings(call()))))
  theirs <- if (8 * n * n / 2 < 2e9) elapsed(stats::dist(d$x)) else NA
  across <- n^2 - sum(table(d$y)^2)
  data.frame(
    data = sprintf("%s (%d x %d)", name, n, ncol(d$x)), "gamma_dmm [s]" = decimals(ours, 3),
    "dist [s]" = decimals(theirs, 2), ratio = decimals(theirs / ours, 1),
    "share of rate" = decimals(2 * across * ncol(d$x) / ours / rate, 2),
    "peak [MB]" = decimals(peak_memory(name), 0), check.names = FALSE
  )
}

rate <- product_rate()
cat("\n", a$threads, " threads; R's matrix product: ", decimals(rate / 1e9, 1), " GFLOP/s\n",
    sep = "")
markdown(do.call(rbind, lapply(a$data, one_data_set, rate)))
