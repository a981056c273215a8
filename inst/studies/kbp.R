# Kernel basis pursuit: Tables 1 and 2 of Guigue, Rakotomamonjy and Canu (2005), beside the paper's
# figures in paper-kbp.csv, and the default rule on larger data beside vpsvm() and randomForest.
#
#   Rscript kbp.R [reps=30] [problems=cosexp,doppler,blocks,ramp,heavisine,pyrim,triazines]
#                 [methods=svm,nu,sum,random,trap,single] [large=cpusmall,cadata,ccpp]
#                 [large.reps=3] [threads=2] [out=results]
#
# Each run appends one row to OUT/kbp.csv; runs that are there already are not repeated, so that a
# study can be stopped, resumed and extended. The tables go to OUT/kbp.md. pyrim, triazines and the
# larger data are read from the folder that the variable FLEXKERN_DATA names, and left out without
# it. `out` lies beside this script unless it is an absolute path.
library(flexkern)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
source(file.path(here, "kbp-report.R"))

settings_from <- function(given) {
  s <- list(reps = "30", problems = "cosexp,doppler,blocks,ramp,heavisine,pyrim,triazines",
            methods = "svm,nu,sum,random,trap,single", large = "cpusmall,cadata,ccpp",
            large.reps = "3", threads = "2", out = "results")
  pairs <- strsplit(given, "=", fixed = TRUE)
  names(pairs) <- vapply(pairs, `[`, "", 1)
  stopifnot(all(names(pairs) %in% names(s)), lengths(pairs) == 2)
  s[names(pairs)] <- lapply(pairs, `[`, 2)
  words <- function(x) if (x == "none") character() else strsplit(x, ",")[[1]]
  list(reps = as.integer(s$reps), problems = words(s$problems), methods = words(s$methods),
       large = words(s$large), large.reps = as.integer(s$large.reps),
       threads = as.integer(s$threads),
       out = if (startsWith(s$out, "/")) s$out else file.path(here, s$out))
}

# ---- data ------------------------------------------------------------------------------------

# The signals of kbp_artificial(): 200 noisy rows to learn from, 1000 rows without noise to test on.
signals <- c("cosexp", "doppler", "blocks", "ramp", "heavisine")

read_data <- function(name) {
  file <- file.path(Sys.getenv("FLEXKERN_DATA"), paste0(name, ".csv.gz"))
  if (!file.exists(file)) return(NULL)
  d <- utils::read.csv(file)
  list(x = as.matrix(d[setdiff(names(d), c("y", "split"))]), y = d$y)
}

draw <- function(problem, rep) {
  set.seed(1000 * rep + match(problem, c(signals, "pyrim", "triazines", names(large_rows))))
  if (problem %in% signals) {
    end <- if (problem == "cosexp") 2 else 1
    t <- stats::runif(200, 0, end)
    new <- stats::runif(1000, 0, end)
    return(list(x = cbind(t = t), y = kbp_artificial(problem, t = t)$y, test_x = cbind(t = new),
                test_y = kbp_artificial(problem, t = new, noise = 0)$f))
  }
  d <- read_data(problem)
  if (is.null(d)) return(NULL)
  n <- nrow(d$x)
  train <- sample(n, if (problem %in% names(large_rows)) large_rows[[problem]] else round(0.8 * n))
  test <- setdiff(seq_len(n), train)
  list(x = d$x[train, ], y = d$y[train], test_x = d$x[test, ], test_y = d$y[test])
}

large_rows <- c(cpusmall = 2000, cadata = 2000, ccpp = 2000)

# ---- methods ---------------------------------------------------------------------------------

# Epsilon, cost and width by 5-fold cross-validation over a grid, as e1071's tune() does it.
tuned_svm <- function(d) {
  fold <- sample(rep_len(1:5, nrow(d$x)))
  spread <- stats::sd(d$y)
  grid <- expand.grid(epsilon = c(0.1, 0.3, 0.6), cost = 10^(-1:3),
                      gamma = 10^seq(-1, 3, length.out = 7) / ncol(d$x))
  error <- vapply(seq_len(nrow(grid)), function(i) {
    mean(vapply(1:5, function(f) {
      m <- e1071::svm(d$x[fold != f, , drop = FALSE], d$y[fold != f] / spread,
                      epsilon = grid$epsilon[i], cost = grid$cost[i], gamma = grid$gamma[i])
      mean((stats::predict(m, d$x[fold == f, , drop = FALSE]) * spread - d$y[fold == f])^2)
    }, 0))
  }, 0)
  best <- grid[which.min(error), ]
  m <- e1071::svm(d$x, d$y / spread, epsilon = best$epsilon, cost = best$cost, gamma = best$gamma)
  list(predicted = stats::predict(m, d$test_x) * spread, support = m$tot.nSV)
}

pursuit <- function(d, rep, threads, ...) {
  m <- kbp(d$x, d$y, seed = rep, threads = threads, verbose = FALSE, ...)
  list(predicted = stats::predict(m, d$test_x), support = sum(m$coef != 0), fit = m)
}

# One bandwidth only: of the series' the one with the smallest cross-validated error.
single_kernel <- function(d, rep, threads) {
  widths <- vapply(pursuit(d, rep, threads, stop = "none", max.steps = 1)$fit$blocks, `[[`, 0,
                   "bandwidth")
  fits <- lapply(widths, function(w) pursuit(d, rep, threads, bandwidths = w))
  fits[[which.min(vapply(fits, function(f) f$fit$cv.error, 0))]]
}

run_method <- function(method, d, rep, threads) {
  switch(
    method,
    svm = tuned_svm(d),
    nu = pursuit(d, rep, threads, stop = "cv.nu"),
    sum = pursuit(d, rep, threads),
    random = pursuit(d, rep, threads, stop = "random"),
    trap = pursuit(d, rep, threads, stop = "trap"),
    single = single_kernel(d, rep, threads),
    vpsvm = {
      m <- vpsvm(d$x, d$y, seed = rep, threads = threads, verbose = FALSE)
      list(predicted = stats::predict(m, d$test_x), support = length(m$index))
    },
    forest = {
      m <- randomForest::randomForest(d$x, d$y)
      list(predicted = stats::predict(m, d$test_x), support = NA)
    }
  )
}

# ---- runs ------------------------------------------------------------------------------------

run_one <- function(problem, method, rep, d, threads) {
  set.seed(rep)
  seconds <- system.time(r <- run_method(method, d, rep, threads))
  data.frame(problem = problem, method = method, rep = rep,
             mse = signif(mean((r$predicted - d$test_y)^2), 6), support = r$support,
             cpu = round(seconds[["user.self"]] + seconds[["sys.self"]], 3))
}

key <- function(runs) with(runs, paste(problem, method, rep))

append_row <- function(row, file) {
  new <- !file.exists(file)
  utils::write.table(row, file, append = !new, col.names = new, row.names = FALSE, sep = ",")
}

run_missing <- function(problems, methods, reps, threads, file) {
  done <- if (file.exists(file)) key(utils::read.csv(file))
  for (rep in seq_len(reps)) for (problem in problems) {
    todo <- methods[!paste(problem, methods, rep) %in% done]
    d <- if (length(todo)) draw(problem, rep)
    if (is.null(d)) next
    for (method in todo) append_row(run_one(problem, method, rep, d, threads), file)
    message(format(Sys.time(), "%H:%M:%S"), "  repetition ", rep, ", ", problem)
  }
}

s <- settings_from(commandArgs(trailingOnly = TRUE))
stopifnot(s$problems %in% c(signals, "pyrim", "triazines"), s$large %in% names(large_rows))
dir.create(s$out, showWarnings = FALSE, recursive = TRUE)
runs_file <- file.path(s$out, "kbp.csv")
run_missing(s$problems, s$methods, s$reps, s$threads, runs_file)
run_missing(s$large, c("sum", "vpsvm", "forest"), s$large.reps, s$threads, runs_file)
report <- report_lines(utils::read.csv(runs_file),
                       utils::read.csv(file.path(here, "paper-kbp.csv")))
writeLines(report, file.path(s$out, "kbp.md"))
writeLines(report)
