# The functions of a formula see the columns as they are, at the fit and for new rows; only what
# they make becomes numbers and indicators.

raw_data <- function(n = 60) {
  set.seed(1)
  number <- sample(1:50, n, replace = TRUE)
  d <- data.frame(z = rnorm(n), number, flag = rep(c(TRUE, FALSE), n / 2))
  d$y <- factor(number > 20)
  d$txt <- as.character(number)
  d$word <- as.character(d$flag)
  d$items <- lapply(number, seq_len)
  d$day <- as.Date("2020-01-01") + 6 * number
  d$at <- as.POSIXct("2020-03-01", tz = "UTC") + 1800 * number
  d$labelled <- structure(as.numeric(number), class = c("labelled", "numeric"), label = "A number")
  d$haven <- structure(as.numeric(number), class = c("haven_labelled", "vctrs_vctr", "double"))
  d$series <- ts(number / 50, start = c(1990, 1), frequency = 12)
  d$g <- factor(letters[1 + number %% 3])
  d$h <- c("u", "v")[1 + (number > 25)]
  d$M <- cbind(u = d$z, v = number)
  d
}

d <- raw_data()
few <- c(50, 3, 17)
decision <- function(m, rows) predict(m, rows, type = "decision")

# What a formula makes of the fit's rows, and of new ones.
design <- function(formula, data, subset = NULL) {
  flexkern:::mold_formula(formula, data, subset, NULL, na.fail)
}
design_again <- function(input, newdata) flexkern:::forge(newdata, input$blueprint)$x

# Each term and the same column made by hand.
terms_by_hand <- list(
  "log(as.numeric(txt))" = log(d$number),
  "as.numeric(day)" = as.numeric(as.Date("2020-01-01")) + 6 * d$number,
  "as.numeric(format(day, '%m'))" = as.POSIXlt(d$day)$mon + 1,
  "as.POSIXlt(at)$hour" = (d$number %/% 2) %% 24,
  "nchar(txt)" = ifelse(d$number < 10, 1, 2),
  "startsWith(txt, '3')" = as.numeric(d$number %in% c(3, 30:39)),
  "lengths(items)" = d$number,
  "vapply(items, function(v) max(v) + 0, 0)" = d$number,
  "I(txt >= '3')" = as.numeric(substr(d$txt, 1, 1) >= "3"),
  "ifelse(word == 'TRUE', 1, 0)" = as.numeric(d$flag),
  "I(1 - flag)" = as.numeric(!d$flag),
  "as.numeric(as.character(factor(txt)))" = d$number,
  "labelled" = d$number, "log(labelled)" = log(d$number),
  "haven" = d$number, "log(haven)" = log(d$number),
  "series" = d$number / 50, "log(series)" = log(d$number / 50),
  "M[, 'v']" = d$number,
  "with(list(k = number), k)" = d$number,
  "base::sqrt(number)" = sqrt(d$number),
  "I(number^two)" = d$number^2
)

for_each_fitter(list(
  "a term is its column made by hand, for the fit and for new rows" = function(f) {
    two <- 2
    for (term in names(terms_by_hand)) {
      m <- f$quick(stats::as.formula(paste("y ~ I(z + 0) +", term)), d)
      x <- cbind(d$z, terms_by_hand[[term]])
      expect_equal(decision(m, d[few, ]), decision(f$quick(x, d$y), x[few, ]), label = term)
    }
  },
  "a series, labelled numbers and a series as response need no formula's functions" = function(f) {
    x <- d[c("labelled", "haven", "series")]
    plain <- as.data.frame(lapply(x, as.vector))
    m <- f$quick(plain, d$y)
    expect_identical(decision(f$quick(x, d$y), x), decision(m, plain))
    expect_identical(decision(f$quick(y ~ ., cbind(x, y = d$y)), plain), decision(m, plain))
    if (!f$regression) return()
    expect_equal(predict(f$quick(series ~ z, d), d), predict(f$quick(d["z"], d$number / 50), d))
    expect_equal(predict(f$quick(d["z"], d$labelled), d), predict(f$quick(d["z"], d$haven), d))
  },
  "a logical in an interaction has two levels, by itself it is a number" = function(f) {
    m <- f$quick(y ~ flag:z, d)
    x <- cbind(d$z * !d$flag, d$z * d$flag)
    expect_equal(decision(m, d[few, ]), decision(f$quick(x, d$y), x[few, ]))
    one <- transform(d[few, ], flag = TRUE)
    expect_equal(decision(m, one), decision(f$quick(x, d$y), cbind(0, d$z[few])))
    expect_identical(decision(m, transform(one, flag = 1)), decision(m, one))
    expect_identical(decision(f$quick(y ~ flag + I(z), d), d),
                     decision(f$quick(y ~ flag + z, d), d))
  },
  "columns of no data frame: as in lm(), and newdata says what it cannot find" = function(f) {
    species <- f$quick(iris$Species ~ iris$Sepal.Length)
    expect_identical(fitted(species), fitted(f$quick(Species ~ Sepal.Length, iris)))
    expect_flexkern_error(predict(species, iris), "lacks the column `iris`")
    expect_identical(f$quick(iris$Species ~ ., iris)$blueprint$columns, names(iris)[-5])
    expect_identical(f$quick(iris$Species ~ . + I(Petal.Width^2), iris)$blueprint$columns,
                     names(iris)[-5])
    expect_identical(fitted(f$quick(y ~ d$z, d)), fitted(f$quick(y ~ z, d)))
    here <- d$number
    m <- f$quick(y ~ log(here) + z, d)
    expect_flexkern_error(predict(m, d), "lacks the column `here`")
    expect_identical(predict(m, transform(d, here = number)), predict(m))
  },
  "a constant of the place where the formula was written stays with the model" = function(f) {
    fit <- function() {
      power <- 2
      breaks <- c(0, 10, 20, 60)
      f$quick(y ~ I(z^power) + cut(number, breaks) + I(z * pi), d)
    }
    power <- 5
    m <- fit()
    expect_identical(decision(m, d[few, ]), decision(m, d)[few, , drop = FALSE])
    expect_identical(m$blueprint$columns, c("z", "number"))
    expect_false(any(vapply(m$blueprint, is.environment, NA)))
  },
  "new rows come as the fit's did: factor for text, fewer levels, other order" = function(f) {
    m <- f$quick(y ~ as.numeric(txt) + as.numeric(g) + startsWith(h, "v"), d)
    new <- d[few, ]
    expected <- decision(m, d)[few, , drop = FALSE]
    expect_equal(decision(m, transform(new, txt = factor(txt), h = factor(h))), expected)
    expect_equal(decision(m, transform(new, g = as.character(g))), expected)
    expect_equal(decision(m, transform(new, g = factor(g, c("c", "b", "a")))), expected)
    expect_equal(decision(m, new[1, ]), expected[1, , drop = FALSE])
    expect_flexkern_error(decision(m, transform(new, txt = number)), "`txt`.*numeric.*was text")
    expect_flexkern_error(decision(m, transform(new, g = 1)), "`g`.*numeric.*was a factor")
    dated <- f$quick(y ~ as.numeric(day) + z, d)
    expect_flexkern_error(decision(dated, transform(new, day = as.POSIXct(day))), "was a Date")
    expect_true(all(is.na(decision(dated, transform(new, day = NA)))))
    d$wait <- as.difftime(d$number, units = "hours")
    timed <- f$quick(y ~ as.numeric(wait) + as.numeric(format(at, "%H")), d)
    other <- new <- d[few, ]
    units(other$wait) <- "mins"
    attr(other$at, "tzone") <- "Pacific/Auckland"
    expect_identical(decision(timed, other), decision(timed, new))
    expect_flexkern_error(decision(timed, transform(new, wait = 1)), "`wait`.*was a difftime")
  },
  "importance of raw columns, those that are matrices or lists included" = function(f) {
    m <- f$quick(y ~ M[, "v"] + lengths(items) + I(z + 0), d)
    found <- importance(m, d, nperm = 2, seed = 1)
    expect_named(found, c("M", "items", "z"))
    expect_true(all(is.finite(found)))
  }
))

test_that("variables become the columns of model.matrix(), with an indicator for every level", {
  formulas <- list(
    y ~ g * z, y ~ g:h, y ~ z:g:number, y ~ M + log(number), y ~ poly(z, 2):g, y ~ (z + g + h)^2,
    y ~ months(day) + z,
    y ~ factor(txt), y ~ interaction(g, h) + z, y ~ h %in% g + z, y ~ 0 + z:h,
    y ~ cut(number, c(0, 10, 20, 60)) + z, y ~ splines::ns(z, 3) * h, y ~ I(M) + z,
    y ~ . + I(z^2)
  )
  d <- d[setdiff(names(d), c("items", "series"))]
  for (formula in formulas) {
    if ("." %in% all.vars(formula)) d <- d[setdiff(names(d), c("day", "at"))]
    frame <- model.frame(formula, d)
    grouped <- Filter(function(v) is.factor(v) || is.character(v), frame[-1])
    full <- lapply(grouped, function(v) contrasts(factor(v), contrasts = FALSE))
    whole <- model.matrix(formula, frame, contrasts.arg = full)
    whole <- whole[, colnames(whole) != "(Intercept)", drop = FALSE]
    colnames(whole) <- gsub("`", "", sub("flagTRUE", "flag", colnames(whole)))
    input <- suppressWarnings(design(formula, d))
    expect_setequal(input$blueprint$names, colnames(whole))
    x <- input$x %*% diag(ifelse(input$blueprint$indicator, sqrt(2), 1), ncol(input$x))
    expect_equal(x, unname(whole[, input$blueprint$names]), ignore_attr = TRUE)
    expect_equal(design_again(input, d[few, ]), input$x[few, , drop = FALSE])
  }
})

test_that("what a term learned from the training rows holds for new ones", {
  formulas <- list(
    y ~ poly(z, 3), y ~ splines::ns(z, 4), y ~ splines::bs(z, df = 5), y ~ scale(z) + number,
    y ~ I(scale(z)^2), y ~ poly(z, 2)[, 2], y ~ scale(log(number))[, 1], y ~ scale(M),
    y ~ g:scale(z), y ~ stats::poly(log(number), 2) * h
  )
  d$series <- NULL
  new <- transform(d[few, ], z = z / 2)
  for (formula in formulas) {
    expect_silent(input <- design(formula, d))
    both <- rbind(d, new)
    expect_equal(design_again(input, both)[61:63, ], design_again(input, new), ignore_attr = TRUE)
    expect_equal(design_again(input, d), input$x)
    at_once <- design_again(input, both)
    expect_equal(at_once[1:60, , drop = FALSE], input$x)
  }
  frame <- model.frame(y ~ splines::ns(z, 4), d)
  expect_equal(design_again(design(y ~ splines::ns(z, 4), d), new),
               model.matrix(delete.response(terms(frame)), new)[, -1], ignore_attr = TRUE)
})

test_that("a term that depends on other rows is named in a warning", {
  for (formula in list(y ~ I(z - mean(z)), y ~ cut(z, 3), y ~ cumsum(z), y ~ rank(z) + number,
                       y ~ I(z / max(z)), y ~ as.numeric(factor(txt)), y ~ ave(z, g))) {
    expect_warning(design(formula, d), "depends on more rows than its own")
  }
  expect_silent(design(y ~ pmax(z, number) + rowSums(M) + log(number) + months(day), d))
})

test_that("terms see all rows and a subset is taken of what they make, as in lm()", {
  input <- design(y ~ poly(z, 2), d, quote(number > 10))
  expect_equal(input$x, model.matrix(y ~ poly(z, 2), d)[d$number > 10, -1], ignore_attr = TRUE)
  input <- design(y ~ time(series), d, quote(time(series) < 1993))
  expect_equal(input$x, cbind(1990 + 0:35 / 12), ignore_attr = TRUE)
  expect_equal(design(y ~ log(number), d, quote(day > as.Date("2020-03-01")))$x,
               cbind(log(d$number[d$number > 10])), ignore_attr = TRUE)
})

test_that("a time is one of a series in new rows too", {
  s <- ts(sin(1:72 / 6) + 1:72 / 72, start = c(1990, 1), frequency = 12)
  m <- vpsvm(s ~ time(s), seed = 1)
  expect_gt(cor(fitted(m), s), 0.99)
  later <- predict(m, list2DF(list(s = ts(rep(NA_real_, 2), start = c(1995, 6), frequency = 12))))
  expect_equal(later, fitted(m)[66:67], tolerance = 1e-5)
  expect_flexkern_error(predict(m, data.frame(s = c(1, 2))), "numeric vector, but was a ts")
  by_month <- vpsvm(s ~ factor(cycle(s)), seed = 1)
  expect_identical(nrow(coef(by_month)), 72L)
  plain <- vpsvm(s ~ I(s^2) + 0, gamma = 1, lambda = 0.1)
  expect_length(predict(plain, data.frame(s = c(1, 2))), 2)
})

test_that("what cannot be a number or a level is refused", {
  odd <- d
  odd$long <- structure(d$z, class = "integer64")
  odd$wait <- as.difftime(d$number, units = "hours")
  holder <- list2env(list(z = d$z))
  expect_refusals(alist(
    vpsvm(y ~ day + log(number), d), vpsvm(y ~ I(day), d), vpsvm(y ~ items + log(number), d),
    vpsvm(y ~ I(at - at), d), vpsvm(y ~ wait + I(z), odd), vpsvm(y ~ long + I(z), odd),
    vpsvm(y ~ long + z, odd), vpsvm(y ~ d + log(number), d), vpsvm(y ~ log(number) + nowhere, d),
    vpsvm(y ~ stats::offset(z) + g, d), vpsvm(y ~ txt * log(mean(number)), d),
    vpsvm(y ~ sapply(items, function(v) nope), d), vpsvm(y ~ outer(z, 1:2, FUN = paste), d),
    predict(vpsvm(y ~ holder$z, d, gamma = 1, lambda = 1), d),
    predict(vpsvm(y ~ M[, 1], d, gamma = 1, lambda = 1), transform(d, M = 1)),
    predict(vpsvm(y ~ M + I(z), d, gamma = 1, lambda = 1), list2DF(list(M = d$M[, 1, drop = FALSE],
                                                                       z = d$z)))
  ))
})

test_that("words of the warning", {
  expect_snapshot(invisible(vpsvm(y ~ I(z - mean(z)), d, gamma = 1, lambda = 1)))
})

test_that("missing values of raw columns are missing where the term makes them so", {
  e <- d
  e$txt[2] <- NA
  e$z[3] <- NA
  e$day[4] <- NA
  formula <- y ~ log(as.numeric(txt)) + ifelse(is.na(z), 0, z) + months(day)
  expect_flexkern_error(vpsvm(formula, e), "2 rows \\(column `log\\(as.numeric\\(txt\\)\\)`")
  m <- vpsvm(formula, e, na.action = na.exclude, gamma = 1, lambda = 0.1)
  expect_identical(which(is.na(fitted(m))), c(2L, 4L))
  expect_identical(which(is.na(predict(m, e[1:5, ]))), c(2L, 4L))
  expect_true(all(is.na(predict(m, transform(e[1:3, ], txt = NA)))))
})

test_that("a saved model predicts the same in another process", {
  knots <- c(-0.5, 0.5)
  m <- vpsvm(y ~ splines::ns(z, knots = knots) + months(day) + as.numeric(txt), d, seed = 1)
  expect_lt(length(serialize(m, NULL)), 50000)
  again <- in_child(predict(model, rows, type = "decision"), list(model = m, rows = d[few, ]))
  expect_identical(again, decision(m, d[few, ]))
})

test_that("tibbles and data.tables bring their columns as they are", {
  tibble <- from_package("tibble", "as_tibble")
  formula <- y ~ lengths(items) + as.numeric(day) + M
  m <- vpsvm(formula, tibble(d), gamma = 1, lambda = 0.1)
  expect_identical(predict(m, tibble(d)[few, ]), predict(m, d[few, ]))
  table <- from_package("data.table", "as.data.table")(d[setdiff(names(d), "M")])
  m <- vpsvm(update(formula, . ~ . - M), table, gamma = 1, lambda = 0.1)
  expect_identical(predict(m, table[few, ]), predict(m, d[few, ]))
})
