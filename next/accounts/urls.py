from django.urls import path

from accounts import views

urlpatterns = [
    path("", views.home, name="home"),
    path("new/", views.new_collection, name="new-collection"),
    path("account/", views.account, name="account"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
    path("c/<slug:slug>/people/", views.people, name="people"),
    path("c/<slug:slug>/people/invite/", views.invite, name="invite"),
    path(
        "c/<slug:slug>/people/invitations/<int:pk>/withdraw/",
        views.withdraw_invitation,
        name="withdraw-invitation",
    ),
    path("c/<slug:slug>/people/<int:pk>/", views.person, name="person"),
    path("c/<slug:slug>/people/<int:pk>/remove/", views.remove_person, name="remove-person"),
]
