# From 50 000 to 500 000 rows: covtype, class 2 against the rest, labels -1 and 1. For every number
# of training rows and every partition ("auto", or a radius) a process of its own fits vpsvm() and
# predicts the same other rows; its peak memory is that of the whole process, data included. The
# error is the mean squared error of predictions clipped to [-1, 1]. In the end the exponent of n
# with which the seconds of a fit grow.
#
#   Rscript bench/bench-scale.R [n=50000,100000,200000,500000] [partition=auto,2] [test=50000]
#                               [seed=1] [threads=2] [memory=BYTES, else the default budget]
#
# covtype is read from the folder that the variable FLEXKERN_DATA names.
source("bench/common.R")

a <- arguments(n = c(50000, 100000, 200000, 500000), partition = c("auto", "2"), test = 50000,
               seed = 1, threads = default_threads(), memory = 0, child = "")

# ---- one fit in its own process --------------------------------------------------------------

peak_gib <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NA)
  line <- grep("^VmHWM:", readLines(status), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 2^20
}

run_child <- function(folder) {
  d <- readRDS(file.path(folder, "train.rds"))
  how <- if (a$partition == "auto") list() else
    list(partition = "voronoi", radius = as.numeric(a$partition))
  if (a$memory > 0) how$memory <- a$memory
  settings <- c(list(threads = a$threads, seed = a$seed, verbose = FALSE), how)
  seconds <- elapsed(fit <- do.call(flexkern::vpsvm, c(list(d$x, d$y), settings)))
  peak <- peak_gib()
  test <- readRDS(file.path(folder, "test.rds"))
  predict_seconds <- elapsed(p <- stats::predict(fit, test$x, threads = a$threads))
  row <- data.frame(
    n = nrow(d$x), partition = a$partition, cells = length(fit$cell.size),
    largest = max(fit$cell.size), fit = seconds, predict = predict_seconds,
    error = squared_error(p, test$y), labels = mean(sign(p) != test$y), peak = peak,
    converged = all(fit$converged)
  )
  saveRDS(row, file.path(folder, "row.rds"))
}

# ---- the rows of the table -------------------------------------------------------------------

load_covtype <- function() {
  frame <- data_file("covtype")
  if (is.null(frame)) quit(status = 0)
  x <- as.matrix(frame[setdiff(names(frame), "y")])
  storage.mode(x) <- "double"
  list(x = unname(x), y = ifelse(frame$y == 2, 1, -1))
}

write_rows <- function(all, rows, file) {
  saveRDS(list(x = all$x[rows, ], y = all$y[rows]), file, compress = FALSE)
}

run_row <- function(n, partition, folder) {
  args <- c("bench/bench-scale.R", paste0("partition=", partition), paste0("seed=", a$seed),
            paste0("threads=", a$threads), paste0("memory=", a$memory), paste0("child=", folder))
  file <- file.path(folder, "row.rds")
  unlink(file)
  system2(file.path(R.home("bin"), "Rscript"), args)
  if (file.exists(file)) return(readRDS(file))
  message("n = ", n, ", partition ", partition, ": no result")
  NULL
}

format_row <- function(r) {
  data.frame(
    n = r$n, partition = ifelse(r$partition == "auto", "auto", paste("radius", r$partition)),
    cells = r$cells, "largest cell" = r$largest, "fit [s]" = decimals(r$fit, 1),
    "predict [s]" = decimals(r$predict, 1), "LS error" = decimals(r$error, 4),
    "wrong labels" = decimals(r$labels, 4), "peak [GiB]" = decimals(r$peak, 2),
    converged = ifelse(r$converged, "yes", "no"), check.names = FALSE
  )
}

exponent <- function(r) unname(stats::coef(stats::lm(log(fit) ~ log(n), r))[2])

run_all <- function() {
  all <- load_covtype()
  folder <- tempfile("scale")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  set.seed(a$seed)
  shuffled <- sample(nrow(all$x))
  write_rows(all, utils::tail(shuffled, a$test), file.path(folder, "test.rds"))
  rows <- NULL
  for (n in sort(a$n)) {
    write_rows(all, shuffled[seq_len(n)], file.path(folder, "train.rds"))
    for (partition in a$partition) {
      row <- run_row(n, partition, folder)
      if (is.null(row)) next
      cat(toString(paste(names(format_row(row)), format_row(row))), "\n", sep = "")
      rows <- rbind(rows, row)
    }
  }
  markdown(format_row(rows[order(match(rows$partition, a$partition)), ]))
  for (partition in unique(rows$partition)) {
    r <- rows[rows$partition == partition, ]
    if (nrow(r) > 1) cat("partition ", partition, ": seconds grow with n^",
                         decimals(exponent(r), 2), "\n", sep = "")
  }
}

if (nzchar(a$child)) run_child(a$child) else run_all()
